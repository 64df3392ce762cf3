import { inventPopulation } from "../src/demo/invent/population.ts";
import { oldServer } from "./old-server.ts";
import { withoutScore } from "./quirks.ts";

// Starts an old V1 server with invented people and all known quirks, and prints its address:
// `node service/testing/start-old-server.ts 200`. docs/TAKE-OVER.md can be tried against it.

const [people = "200"] = process.argv.slice(2);
const population = [...inventPopulation(1, Number(people))]
  .filter(({ passport }) => !passport.merged)
  .map((person, index) => (index % 5 === 0 ? withoutScore(person) : person));
const { address } = await oldServer(
  population,
  { changed: 0.05, failed: 0.01, refused: 0.01 },
  { quirks: true, notFound: "HTML" },
);
process.stdout.write(`${address}\n`);
