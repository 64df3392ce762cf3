import { breakCluster } from "../cluster.ts";

const [people = "", only] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await breakCluster(Number(people), only)), () => process.exit());
