import type { Random } from "./random.ts";

type Words = readonly [string, ...string[]];
type Culture = { weight: number; given: Words; family: Words; join: string; familyFirst?: boolean };

const words = (text: string): Words => text.split(" ") as unknown as Words;

// The most common come first. `_` stands for a space within a name.
const CULTURES: readonly Culture[] = [
  {
    weight: 70,
    given: words(
      "Maria John David Anna Daniel Michael Sarah James Grace Samuel Alex Emmanuel Ruth Robert Laura Victor Peter Joy Mark " +
        "Linda Clara Paul Julia Aisha Emma Amina Amara Tom Nina Oliver Ada Katherine Leo Mary Simon Tunde Barbara Eric Helen " +
        "Martin Chidi Alan Sophie Felix Rose Hugo Ngozi Lucas Edith Kofi Margaret Otis Wanjiku Linus Beth Rufus Ingrid Cleo " +
        "Edsger Zuri Milo Gwen Ivor Thandi Basil Una Piers Odile Quinn Yuki Xanthe Boris Fern Ulf Tove Sven Odette Juno",
    ),
    family: words(
      "Smith Garcia Johnson Okafor Brown Silva Adams Mensah Davis Rossi Martin Adeyemi Wilson Moreau Taylor Santos Clark " +
        "Marsh Turner Weaver Archer Baker Novak Hopkins Lovett Fischer Owusu Larsen Rivers Doyle Kimani Vance Hale Quill Thorne",
    ),
    join: " ",
  },
  {
    weight: 20,
    given: words(
      "José Lucía André Zoë Søren Łukasz Jürgen Siobhán Bożena Chloé Mónica René Björn Inês Çağla Óscar Aurélie Kübra Niño",
    ),
    family: words(
      "Muñoz Gonçalves Müller Ångström Wójcik Østergård Yılmaz Ó_Briain Straßer Núñez Kovář Żak Ğül Ólafsson Brännström",
    ),
    join: " ",
  },
  {
    weight: 6,
    given: words("Анна Сергей Иван Ольга Дмитрий Оксана Елена Тарас Мария Юрий"),
    family: words("Иванов Кузнецов Шевченко Петрова Соколов Йовович Бондарь"),
    join: " ",
  },
  {
    weight: 2,
    given: words("Μαρία Γιώργος Ελένη Οδυσσέας Κώστας Σοφία"),
    family: words("Παπαδόπουλος Ιωάννου Νικολάου Βλάχος"),
    join: " ",
  },
  {
    weight: 4,
    given: words("محمد فاطمة أحمد ليلى يوسف مريم عمر"),
    family: words("الحسن بن_علي الخوارزمي منصور حداد"),
    join: " ",
  },
  { weight: 1, given: words("דוד נועה משה שרה"), family: words("כהן לוי מזרחי"), join: " " },
  {
    weight: 7,
    given: words("伟 芳 娜 秀英 强 小明 磊 静 洋 艳"),
    family: words("王 李 张 刘 陈 杨 赵 黄"),
    join: "",
    familyFirst: true,
  },
  {
    weight: 4,
    given: words("さくら 太郎 ひろし 結衣 葵 蓮"),
    family: words("佐藤 鈴木 高橋 田中 渡辺"),
    join: " ",
    familyFirst: true,
  },
  { weight: 3, given: words("민준 서연 지우 하준 수아"), family: words("김 이 박 최 정"), join: "", familyFirst: true },
  { weight: 4, given: words("आरव दीया कबीर मीरा अर्जुन"), family: words("शर्मा वर्मा कपूर सिंह"), join: " " },
  { weight: 1, given: words("สมชาย มาลี อนันต์"), family: words("ใจดี แสงทอง"), join: " " },
];
/** Each culture as often as it weighs. */
const DRAWS = CULTURES.flatMap((culture) => Array<Culture>(culture.weight).fill(culture)) as [Culture, ...Culture[]];

const ONSETS = words("b br c ch d f g gr h j k kl l m n p pr r s sh st t th tr v w z");
const VOWELS = words("a e i o u a ai ea a io oo");
const CODAS = words("l n r s t ck ld nd rt x m");
const HANDLES = words("builder degen anon dev fox moon sol wei node gm hash punk crypto wizard");

export function inventName(random: Random): string {
  if (random.chance(0.08)) return inventHandle(random);
  const culture = random.pick(DRAWS);
  const given = random.pickCommon(culture.given);
  // A quarter of the names written in Latin letters have a family name that hardly anybody shares.
  const family =
    culture.join === " " && culture.weight > 10 && random.chance(0.25)
      ? inventFamily(random)
      : random.pickCommon(culture.family);
  return (culture.familyFirst ? [family, given] : [given, family]).join(culture.join).replaceAll("_", " ");
}

function inventFamily(random: Random): string {
  const syllable = () => random.pick(ONSETS) + random.pick(VOWELS) + random.pick(CODAS);
  const name = Array.from({ length: random.int(1, 2) }, syllable).join("");
  return name.charAt(0).toUpperCase() + name.slice(1);
}

const inventHandle = (random: Random): string =>
  `${random.pickCommon(HANDLES)}${random.pick(["_", ".", "-", ""])}${random.hex(4)}`;
