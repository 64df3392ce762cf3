import type { Random } from "./random.ts";

type Words = readonly [string, ...string[]];
type Culture = { weight: number; firstNames: Words; familyNames: Words; join: string; familyFirst: boolean };

const words = (text: string): Words => text.split(" ") as unknown as Words;

const culture = (weight: number, firstNames: string, familyNames: string, options: Partial<Culture> = {}): Culture => ({
  weight,
  firstNames: words(firstNames),
  familyNames: words(familyNames),
  join: " ",
  familyFirst: false,
  ...options,
});

// The most common names come first. `_` is replaced by a space.
const CULTURES: readonly Culture[] = [
  culture(
    70,
    "Maria John David Anna Daniel Michael Sarah James Grace Samuel Alex Emmanuel Ruth Robert Laura Victor Peter Joy Mark " +
      "Linda Clara Paul Julia Aisha Emma Amina Amara Tom Nina Oliver Ada Katherine Leo Mary Simon Tunde Barbara Eric Helen " +
      "Martin Chidi Alan Sophie Felix Rose Hugo Ngozi Lucas Edith Kofi Margaret Otis Wanjiku Linus Beth Rufus Ingrid Cleo " +
      "Edsger Zuri Milo Gwen Ivor Thandi Basil Una Piers Odile Quinn Yuki Xanthe Boris Fern Ulf Tove Sven Odette Juno",
    "Smith Garcia Johnson Okafor Brown Silva Adams Mensah Davis Rossi Martin Adeyemi Wilson Moreau Taylor Santos Clark " +
      "Marsh Turner Weaver Archer Baker Novak Hopkins Lovett Fischer Owusu Larsen Rivers Doyle Kimani Vance Hale Quill Thorne",
  ),
  culture(
    20,
    "José Lucía André Zoë Søren Łukasz Jürgen Siobhán Bożena Chloé Mónica René Björn Inês Çağla Óscar Aurélie Kübra Niño",
    "Muñoz Gonçalves Müller Ångström Wójcik Østergård Yılmaz Ó_Briain Straßer Núñez Kovář Żak Ğül Ólafsson Brännström",
  ),
  culture(
    6,
    "Анна Сергей Иван Ольга Дмитрий Оксана Елена Тарас Мария Юрий",
    "Иванов Кузнецов Шевченко Петрова Соколов Йовович Бондарь",
  ),
  culture(2, "Μαρία Γιώργος Ελένη Οδυσσέας Κώστας Σοφία", "Παπαδόπουλος Ιωάννου Νικολάου Βλάχος"),
  culture(4, "محمد فاطمة أحمد ليلى يوسف مريم عمر", "الحسن بن_علي الخوارزمي منصور حداد"),
  culture(1, "דוד נועה משה שרה", "כהן לוי מזרחי"),
  culture(7, "伟 芳 娜 秀英 强 小明 磊 静 洋 艳", "王 李 张 刘 陈 杨 赵 黄", { join: "", familyFirst: true }),
  culture(4, "さくら 太郎 ひろし 結衣 葵 蓮", "佐藤 鈴木 高橋 田中 渡辺", { familyFirst: true }),
  culture(3, "민준 서연 지우 하준 수아", "김 이 박 최 정", { join: "", familyFirst: true }),
  culture(4, "आरव दीया कबीर मीरा अर्जुन", "शर्मा वर्मा कपूर सिंह"),
  culture(1, "สมชาย มาลี อนันต์", "ใจดี แสงทอง"),
];
/** Contains each culture `weight` times. */
const WEIGHTED = CULTURES.flatMap((item) => Array<Culture>(item.weight).fill(item)) as [Culture, ...Culture[]];

const ONSETS = words("b br c ch d f g gr h j k kl l m n p pr r s sh st t th tr v w z");
const VOWELS = words("a e i o u a ai ea a io oo");
const CODAS = words("l n r s t ck ld nd rt x m");
const HANDLES = words("builder degen anon dev fox moon sol wei node gm hash punk crypto wizard");

export function inventName(random: Random): string {
  if (random.chance(0.08)) return inventHandle(random);
  const culture = random.pick(WEIGHTED);
  const firstName = random.pickCommon(culture.firstNames);
  // A quarter of the names in Latin letters have a rare family name.
  const familyName =
    culture.join === " " && culture.weight > 10 && random.chance(0.25)
      ? inventFamilyName(random)
      : random.pickCommon(culture.familyNames);
  const parts = culture.familyFirst ? [familyName, firstName] : [firstName, familyName];
  return parts.join(culture.join).replaceAll("_", " ");
}

function inventFamilyName(random: Random): string {
  const syllable = () => random.pick(ONSETS) + random.pick(VOWELS) + random.pick(CODAS);
  const name = Array.from({ length: random.int(1, 2) }, syllable).join("");
  return name.charAt(0).toUpperCase() + name.slice(1);
}

const inventHandle = (random: Random): string =>
  `${random.pickCommon(HANDLES)}${random.pick(["_", ".", "-", ""])}${random.hex(4)}`;
