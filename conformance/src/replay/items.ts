import { isObject } from "../sample.ts";
import type { Json } from "../shape.ts";
import { data, type Emit, form, itemOf, type Path } from "./difference.ts";
import { isNewer, type ShapeName } from "./fields.ts";
import { canonicalText, idText, isSameValue } from "./json.ts";
import { compareTimes } from "./values.ts";

type CompareObjects = (path: Path, shape: ShapeName, old: Json, next: Json, emit: Emit) => void;
type Items = ReadonlyMap<string, Json>;

const ID_FIELDS: Partial<Record<ShapeName, string>> = { passport: "passport_id", credential: "id", social: "source" };
/** The fields that decide the position of an item. */
const POSITION_FIELDS: Partial<Record<ShapeName, string[]>> = {
  passport: ["score", "last_calculated_at"],
  credential: ["score", "category", "last_calculated_at"],
};

const SECOND = "\n";

/** Compares people, credentials or social profiles by id, wherever they are in the array. */
export function compareItems(
  path: Path,
  shape: ShapeName,
  oldArray: readonly unknown[],
  newArray: readonly unknown[],
  emit: Emit,
  compareObjects: CompareObjects,
): void {
  if (![...oldArray, ...newArray].every(isObject)) {
    if (canonicalText(oldArray) !== canonicalText(newArray))
      emit(path, form("items that are no objects", oldArray, newArray));
    return;
  }
  const [old, next] = [byId(shape, oldArray as Json[]), byId(shape, newArray as Json[])];
  for (const [id, item] of old) {
    const other = next.get(id);
    if (other !== undefined) compareObjects(itemOf(path, id), shape, item, other, emit);
  }
  const unchanged = new Set([...old.keys()].filter((id) => isUnchanged(shape, old.get(id), next.get(id))));
  const order = (items: Items) => [...items.keys()].filter((id) => unchanged.has(id));
  if (order(old).join() !== order(next).join())
    emit({ ...path, place: `${path.place} order` }, form("order of items", order(old), order(next)));
  emitAbsent("old", path, shape, old, next, unchanged, emit);
  emitAbsent("new", path, shape, next, old, unchanged, emit);
}

/** The items by id. The second item with an id has the suffix `SECOND`. */
function byId(shape: ShapeName, items: readonly Json[]): Items {
  const byId = new Map<string, Json>();
  for (const item of items) {
    let id = idText(item[ID_FIELDS[shape] ?? ""]);
    while (byId.has(id)) id += SECOND;
    byId.set(id, item);
  }
  return byId;
}

/** An item that keeps its position relative to other unchanged items. */
const isUnchanged = (shape: ShapeName, old: Json | undefined, next: Json | undefined): boolean =>
  old !== undefined &&
  next !== undefined &&
  (POSITION_FIELDS[shape] ?? []).every(
    (name) => isSameValue(old[name], next[name]) || compareTimes(old[name], next[name]) === 0,
  );

/** Emits the items of one server that the other does not have. */
function emitAbsent(
  listedOn: "old" | "new",
  path: Path,
  shape: ShapeName,
  items: Items,
  others: Items,
  unchanged: ReadonlySet<string>,
  emit: Emit,
): void {
  const ids = [...items.keys()];
  const [first, last] = [ids.findIndex((id) => unchanged.has(id)), ids.findLastIndex((id) => unchanged.has(id))];
  for (const [index, id] of ids.entries()) {
    if (others.has(id)) continue;
    const item = items.get(id);
    const shown = item?.[ID_FIELDS[shape] ?? ""];
    const sides: [unknown, unknown] = listedOn === "old" ? [shown, undefined] : [undefined, shown];
    if (id.endsWith(SECOND) && shape !== "social") {
      emit(itemOf(path, id), form("item twice", ...sides));
    } else if (shape === "passport") {
      const isBetweenUnchanged = first !== -1 && first < index && index < last;
      const absent = { id, listedOn, isBetweenUnchanged };
      emit(itemOf(path, id), { ...data("person on one page only", ...sides), absent });
    } else {
      const kind = listedOn === "old" ? "missing item" : "additional item";
      const isExplained = shape === "credential" && wasCalculatedLater(listedOn, item, items, others);
      emit(itemOf(path, id), { ...data(kind, ...sides), ...(isExplained && { explanation: "newer" as const }) });
    }
  }
}

/**
 * Whether a credential can be on one server only because the old server calculated the person later:
 * it was added there after every calculation on the new server, or removed by a later calculation.
 */
function wasCalculatedLater(listedOn: "old" | "new", item: Json | undefined, items: Items, others: Items): boolean {
  if (listedOn === "old") return others.size > 0 && isNewer(item?.last_calculated_at, newestTime(others));
  return others.size > 0 && isNewer(newestTime(others), newestTime(items));
}

const newestTime = (credentials: Items): unknown =>
  [...credentials.values()]
    .map(({ last_calculated_at }) => last_calculated_at)
    .reduce((newest, time) => (isNewer(time, newest) ? time : newest), null);
