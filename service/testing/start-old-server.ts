import { inventPopulation } from "../src/invent/population.ts";
import { oldServer } from "./old-server.ts";

// Starts an old V1 server with invented people, and prints its address:
// `node service/testing/start-old-server.ts 200`. docs/TAKE-OVER.md can be tried against it.

const [people = "200"] = process.argv.slice(2);
const population = [...inventPopulation(1, Number(people))].filter(({ operator }) => operator === undefined);
const { address } = await oldServer(population, { changed: 0.05, failed: 0.01, refused: 0.01 });
process.stdout.write(`${address}\n`);
