/**
 * The rules of this contract beyond those of Redocly and Spectral (`npm run lint:contract` runs all three). The rules
 * are checked on the bundle, and each finding is reported with the file and line where it is written.
 */
import { bundleContract } from '../contract/bundle.ts'
import { listFindings } from './contract-rules.mjs'
import { readContractSource } from './contract-source.ts'

/** Users read these files from top to bottom. Split a file that exceeds this number of lines. */
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
// A shared component is found through each of its uses.
const distinct = new Set(findings)
for (const finding of distinct) console.error(finding)
if (distinct.size > 0) process.exit(1)
console.log('The contract follows all rules.')
