import { isObject } from "../sample.ts";
import type { Json } from "../shape.ts";
import { below, data, type Emit, form, type Path } from "./difference.ts";
import { childOf, fieldsOfCalculation, isTextArray, printedName, ruleOf, type ShapeName } from "./fields.ts";
import { compareItems } from "./items.ts";
import { canonicalText, idText } from "./json.ts";
import { canonicalWallet, compareScalars } from "./values.ts";

/** Compares two objects of V1 field by field. */
export function compareObjects(path: Path, shape: ShapeName, old: Json, next: Json, emit: Emit): void {
  const [oldNames, newNames] = [Object.keys(old), Object.keys(next)];
  const isIn = (object: Json) => (name: string) => Object.hasOwn(object, name);
  const common = oldNames.filter(isIn(next));
  const reordered = newNames.filter(isIn(old));
  if (common.join() !== reordered.join())
    emit({ ...path, place: `${path.place} order` }, form("order of fields", common, reordered));
  const newer = fieldsOfCalculation(shape, old, next);
  // The values of another person say nothing. The form of the response is still compared.
  const isAnotherPerson = shape === "detail" && idText(old.passport_id) !== idText(next.passport_id);
  for (const name of new Set([...oldNames, ...newNames])) {
    const field = below(path, name, printedName(shape, name));
    const emitField: Emit = (path, found) => {
      if (found.class === "data" && isAnotherPerson && name !== "passport_id") return;
      emit(path, found.class === "data" && newer.has(name) ? { ...found, explanation: "newer" } : found);
    };
    if (!isIn(next)(name)) emit(field, form("missing field", old[name], undefined));
    else if (!isIn(old)(name)) emit(field, form("additional field", undefined, next[name]));
    else compareField(field, shape, name, old[name], next[name], emitField);
  }
}

function compareField(path: Path, shape: ShapeName, name: string, old: unknown, next: unknown, emit: Emit): void {
  const child = childOf(shape, name);
  const areArrays = Array.isArray(old) && Array.isArray(next);
  if (child !== undefined && areArrays) compareItems(path, child, old, next, emit, compareObjects);
  else if (child !== undefined && isObject(old) && isObject(next)) compareObjects(path, child, old, next, emit);
  else if (areArrays && isTextArray(shape, name)) compareTextArrays(path, old, next, emit);
  else compareScalars(path, old, next, ruleOf(shape, name), emit);
}

/** Wallets and tags. */
function compareTextArrays(path: Path, old: readonly unknown[], next: readonly unknown[], emit: Emit): void {
  const texts = (items: readonly unknown[]) => items.map(canonicalText);
  if (texts(old).join() === texts(next).join()) return;
  const [oldTexts, newTexts] = [old, next].map((items) => texts(items.map(canonicalWallet))) as [string[], string[]];
  if (oldTexts.toSorted().join() !== newTexts.toSorted().join()) emit(path, data("value", old, next));
  else if (oldTexts.join() !== newTexts.join()) emit(path, form("order of items", old, next));
  else emit(path, form("letter case of a wallet", old, next));
}
