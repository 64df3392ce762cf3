import type { Random } from "./random.ts";

type Names = readonly [string, ...string[]];
type Culture = { given: Names; family: Names; join: string; familyFirst?: boolean };

const CULTURES: readonly [Culture, ...Culture[]] = [
  {
    given: [
      "Ada",
      "John",
      "Maria",
      "Grace",
      "Alan",
      "Margaret",
      "Linus",
      "Barbara",
      "Edsger",
      "Katherine",
      "Samuel",
      "Ruth",
    ],
    family: ["Okafor", "Smith", "Lovett", "Hopkins", "Marsh", "Turner", "Weaver", "Archer", "Mensah", "Baker"],
    join: " ",
  },
  {
    given: ["José", "Lucía", "André", "Zoë", "Søren", "Łukasz", "Jürgen", "Çelik", "Siobhán", "Bożena"],
    family: ["Muñoz", "Gonçalves", "Müller", "Ångström", "Wójcik", "Østergård", "Yılmaz", "Ó Briain", "Straßer"],
    join: " ",
  },
  {
    given: ["Иван", "Ольга", "Сергей", "Анна", "Дмитро", "Оксана"],
    family: ["Иванов", "Петрова", "Шевченко", "Кузнецов", "Йовович"],
    join: " ",
  },
  {
    given: ["Γιώργος", "Ελένη", "Οδυσσέας", "Μαρία"],
    family: ["Παπαδόπουλος", "Ιωάννου", "Νικολάου"],
    join: " ",
  },
  {
    given: ["محمد", "فاطمة", "أحمد", "ليلى", "يوسف"],
    family: ["الحسن", "بن علي", "الخوارزمي", "منصور"],
    join: " ",
  },
  { given: ["伟", "芳", "娜", "秀英", "强"], family: ["王", "李", "张", "刘", "陈"], join: "", familyFirst: true },
  {
    given: ["さくら", "太郎", "ひろし", "結衣"],
    family: ["佐藤", "鈴木", "高橋", "田中"],
    join: " ",
    familyFirst: true,
  },
  { given: ["민준", "서연", "지우", "하준"], family: ["김", "이", "박", "최"], join: "", familyFirst: true },
  { given: ["आरव", "दीया", "कबीर", "मीरा"], family: ["शर्मा", "वर्मा", "कपूर"], join: " " },
];

export function inventName(random: Random): string {
  // Half of everybody from the first two, so that common names repeat as they do in life.
  const culture = random.chance(0.5) ? (CULTURES[random.int(0, 1)] ?? CULTURES[0]) : random.pick(CULTURES);
  const given = random.pick(culture.given);
  const family = random.pick(culture.family);
  return (culture.familyFirst ? [family, given] : [given, family]).join(culture.join);
}
