/** Which of two groups has which colour. */

const MEN = /\b(male|men|man|he|boys?)\b/i;
const WOMEN = /\b(female|women|woman|she|girls?)\b/i;

/** Whether men stand first, as in some published lists: women are blue wherever they stand. */
export const womenSecond = ([one, two]: readonly { name: string }[]): boolean =>
  MEN.test(one?.name ?? "") && WOMEN.test(two?.name ?? "");
