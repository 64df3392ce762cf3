// Runs in the browser. Defines the checks of a page as `pageChecks`.

const MAX_CONTROLS = 30;
const describe = (element) => element.outerHTML.slice(0, 80);

globalThis.pageChecks = {
  /** Elements that make the page scroll sideways. */
  overflowing() {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const elements = [...document.querySelectorAll("main *")];
    return elements.filter((element) => element.getBoundingClientRect().right > clientWidth + 1).map(describe);
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
