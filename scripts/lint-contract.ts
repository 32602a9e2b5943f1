/**
 * Checks the contract with the project's own rules, in addition to those of Redocly and Spectral (`npm run
 * lint:contract` runs all three). Applies the rules to the bundle and reports each finding with its file and line in
 * the sources.
 */
import { bundleContract } from '../contract/bundle.ts'
import { listFindings } from './contract-rules.mjs'
import { readContractSource } from './contract-source.ts'

/** The maximum number of lines in a file. Users read these files from top to bottom, so split a file that is longer. */
const MAX_LINES = 2500

const document = bundleContract()
const source = readContractSource()

const findings = [
  ...source.files
    .filter(({ lines }) => lines > MAX_LINES)
    .map(({ file, lines }) => `${file}:${lines}  file-length  A file has at most ${MAX_LINES} lines.`),
  ...source
    .findUnpublished(document)
    .map(({ file, line, name }) => `${file}:${line}  unpublished  Nothing refers to ${name}.`),
  ...[...listFindings(document)].map(({ rule, place, message }) => {
    const { file, line } = source.lineOf(place)
    return `${file}:${line}  ${rule}  ${message}`
  }),
]
// Removes duplicates, because an error in a shared component is found at each of its uses.
const distinct = new Set(findings)
for (const finding of distinct) console.error(finding)
if (distinct.size > 0) process.exit(1)
console.log('The contract follows all rules.')
