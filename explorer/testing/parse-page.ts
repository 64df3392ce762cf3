import { parse, type DefaultTreeAdapterTypes as Tree } from "parse5";

export type Element = Tree.Element;

/** All elements of a page, in order. */
export function elementsOf(markup: string): Element[] {
  const walk = (node: Tree.ChildNode): Element[] => ("attrs" in node ? [node, ...node.childNodes.flatMap(walk)] : []);
  return parse(markup).childNodes.flatMap(walk);
}

export const attribute = (element: Element, name: string): string | null =>
  element.attrs.find((attr) => attr.name === name)?.value ?? null;

export function textOf(node: Tree.ChildNode): string {
  if ("value" in node) return node.value;
  return "childNodes" in node ? node.childNodes.map(textOf).join("") : "";
}
