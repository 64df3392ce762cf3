// Runs in the browser. Defines the checks of a page as `pageChecks`.

const MAX_CONTROLS = 30;
/** For screen readers only. */
const isClipped = (element) =>
  element !== null && (getComputedStyle(element).clipPath !== "none" || isClipped(element.parentElement));
const describe = (element) => element.outerHTML.slice(0, 80);

globalThis.pageChecks = {
  /** Elements that make the page scroll sideways. */
  overflowing() {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const elements = [...document.querySelectorAll("main *")];
    return elements.filter((element) => element.getBoundingClientRect().right > clientWidth + 1).map(describe);
  },

  /** Texts that are printed over one another, by more than a pixel in both directions. */
  overlapping() {
    const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    const boxes = [];
    while (texts.nextNode()) {
      const { currentNode: text } = texts;
      if (text.data.trim() === "" || !text.parentElement.checkVisibility() || isClipped(text.parentElement)) continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      // Examples scroll in a box of their own.
      const frame = text.parentElement.closest("pre")?.getBoundingClientRect() ?? { top: -Infinity, bottom: Infinity };
      for (const { left, right, top, bottom } of range.getClientRects())
        if (top >= frame.top && bottom <= frame.bottom)
          boxes.push({ left, right, top, bottom, text: text.data.trim() });
    }
    // The mark of a row, if it is drawn inside.
    const marked = document.querySelector("tr:target");
    if (marked !== null && getComputedStyle(marked).boxShadow.includes("inset")) {
      const { left, top, bottom } = marked.getBoundingClientRect();
      boxes.push({ left, right: left + 3, top, bottom, text: "the mark" });
    }
    boxes.sort((a, b) => a.top - b.top);
    return boxes.flatMap((box, index) => {
      const faults = [];
      for (const other of boxes.slice(index + 1)) {
        if (other.top > box.bottom - 1) break;
        const width = Math.min(box.right, other.right) - Math.max(box.left, other.left);
        const height = Math.min(box.bottom, other.bottom) - other.top;
        if (width > 1 && height > Math.min(box.bottom - box.top, other.bottom - other.top) / 3)
          faults.push(`"${box.text}" and "${other.text}"`);
      }
      return faults;
    });
  },

  /** Meters of credentials that have another colour than their part of the score. */
  miscoloured() {
    const fillOf = (element) => getComputedStyle(element).fill;
    const groups = [...document.querySelectorAll(".cr tbody:has(.cat .sw)")];
    return groups.flatMap((group) => {
      const part = fillOf(group.querySelector(".sw rect"));
      return [...group.querySelectorAll(".meter rect")].filter((meter) => fillOf(meter) !== part).map(describe);
    });
  },

  /** The classes of the page, and those that the stylesheet names. */
  classes() {
    const namesIn = ({ cssRules = [], selectorText = "" }) => [
      ...[...selectorText.matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name),
      ...[...cssRules].flatMap(namesIn),
    ];
    const used = [...document.querySelectorAll("[class]")].flatMap(({ classList }) => [...classList]);
    return { used, styled: [...document.styleSheets].flatMap(namesIn) };
  },

  async violations() {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  },

  /** The links and controls that the Tab key must reach, in order. */
  controls() {
    // The Tab key starts at the top, not at the last focus or at the target of the address.
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute("tabindex");
    const controls = [...document.querySelectorAll("a[href], button, input, textarea, summary, [tabindex='0']")];
    return (
      controls
        .filter((control) => control.checkVisibility())
        // The Tab key reaches one radio button of a group, the arrow keys the others: the checked one, or
        // the first.
        .filter((control) => {
          if (control.type !== "radio") return true;
          const group = [...document.querySelectorAll(`[type=radio][name="${control.name}"]`)];
          return control === (group.find((radio) => radio.checked) ?? group[0]);
        })
        .slice(0, MAX_CONTROLS)
        .map(describe)
    );
  },

  /** Records what gets the focus, and whether that is visible. */
  watchFocus() {
    this.focused = [];
    document.addEventListener("focusin", ({ target }) => {
      this.focused.push({ control: describe(target), outline: getComputedStyle(target).outlineStyle });
    });
  },
};
