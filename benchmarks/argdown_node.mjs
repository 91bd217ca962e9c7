// The rival of benchmarks/argdown.py: the official parser, text to model, on the texts of a file (a JSON list). Prints milliseconds a text.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [folder, file] = process.argv.slice(2);
const found = createRequire(`${folder}/here.js`).resolve("@argdown/core");
const { argdown } = await import(pathToFileURL(found));
const texts = JSON.parse(readFileSync(file, "utf8"));
const read = (input) => argdown.run({ process: ["parse-input", "build-model"], input, logLevel: "silent", throwExceptions: false });

texts.forEach(read); // warm
const times = texts.map((text) => {
  const start = performance.now();
  read(text);
  return performance.now() - start;
});
console.log(JSON.stringify(times));
