// Signs the text with a wallet in this browser. The page works without it: a signature can be pasted.

const area = document.getElementById("wallets");
const list = document.getElementById("wallet-list");
const state = document.getElementById("wallet-state");
const offered = new Set();

/** With a wallet in the browser, the other ways are folded. */
function showWallets() {
  if (!area.hidden) return;
  area.hidden = false;
  document.getElementById("no-wallet").hidden = true;
  const form = document.getElementById("send");
  const elsewhere = document.getElementById("elsewhere");
  const isWrong = form.querySelector("[aria-invalid]") !== null;
  elsewhere.hidden = false;
  elsewhere.open = isWrong;
  document.getElementById("text").open = isWrong;
  elsewhere.append(form);
}

const say = (text) => {
  state.textContent = text;
};

/** As hex, so that no wallet takes the text for hex itself. */
const hexOf = (text) =>
  `0x${Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;

async function sign(provider) {
  const { address } = area.dataset;
  const accounts = await provider.request({ method: "eth_requestAccounts" });
  if (!accounts.some((account) => account.toLowerCase() === address)) {
    return say(`This wallet does not offer the address ${address}. Select that account in the wallet and try again.`);
  }
  say("Confirm the signature in your wallet.");
  const text = document.getElementById("message").textContent;
  const signature = await provider.request({ method: "personal_sign", params: [hexOf(text), address] });
  document.getElementById("signature").value = signature;
  say("Signed. The request is being sent.");
  document.getElementById("send").requestSubmit();
}

/** The code for a request that the person declined (EIP-1193). */
const DECLINED = 4001;

function offer(provider, name) {
  if (offered.has(provider)) return;
  offered.add(provider);
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = name;
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      await sign(provider);
    } catch (error) {
      say(
        error?.code === DECLINED ? "You declined. Nothing was sent." : `The wallet could not sign: ${error?.message}`,
      );
    }
    button.disabled = false;
  });
  list.append(button);
  showWallets();
}

// EIP-6963: every wallet announces itself. An older one only sets window.ethereum.
window.addEventListener("eip6963:announceProvider", ({ detail }) =>
  offer(detail.provider, detail.info.name.slice(0, 40)),
);
window.dispatchEvent(new Event("eip6963:requestProvider"));
setTimeout(() => {
  if (window.ethereum && offered.size === 0) offer(window.ethereum, "Wallet of this browser");
}, 500);
