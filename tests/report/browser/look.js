// Open one page in Chromium, light and dark; print what went wrong as JSON, and write screenshots.
// Usage: node look.js CHROMIUM MODULES PAGE FOLDER
"use strict";
const fs = require("node:fs");
const path = require("node:path");

const [browserPath, modules, page, folder] = process.argv.slice(2);
const { chromium } = require(path.join(modules, "playwright-core"));
const axe = fs.readFileSync(path.join(modules, "axe-core", "axe.min.js"), "utf8");
const quiet = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];

async function look(browser, colorScheme, width) {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const tab = await context.newPage();
  const said = [];
  tab.on("console", (message) => said.push(message.text()));
  tab.on("dialog", (dialog) => { said.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  tab.on("request", (request) => { if (!request.url().startsWith("file:")) said.push(`request: ${request.url()}`); });
  await tab.goto(`file://${page}`);
  await tab.screenshot({ path: path.join(folder, `${colorScheme}-${width}.png`) });
  await tab.evaluate(`${axe}\n;0`);
  const violations = await tab.evaluate(async () => (await axe.run()).violations.map((each) => each.id));
  const overflow = await tab.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  let copied = null;
  const button = tab.locator("button[data-copy]:visible").first();
  if (await button.count()) {
    await button.focus();
    await tab.keyboard.press("Enter");
    await tab.waitForFunction(() => document.getElementById("said").textContent);
    copied = await tab.evaluate(() => document.getElementById("said").textContent);
  }
  await context.close();
  return { colorScheme, width, said, violations, overflow, copied };
}

(async () => {
  const browser = await chromium.launch({ executablePath: browserPath, args: quiet });
  const seen = [];
  for (const [scheme, width] of [["light", 1100], ["dark", 1100], ["light", 360]]) seen.push(await look(browser, scheme, width));
  await browser.close();
  process.stdout.write(JSON.stringify(seen));
})();
