/**
 * The lint of the contract: `npm run lint:contract`. Redocly checks the whole document against redocly.yaml; each
 * finding is reported with the file and line where it was written.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Bundle, BundleError, bundle } from '../contract/bundle.ts'

/** These files are read by people, from top to bottom. One that grows beyond this has to be split. */
const MOST_LINES = 1500

const root = path.resolve(import.meta.dirname, '..')
const contract = readContract()
const faults = [...tooLong(contract), ...found(contract)]
// A fault in a value that is included in several places is reported once.
for (const fault of new Set(faults)) console.error(fault)
if (faults.length > 0) process.exit(1)
console.log('The contract follows all rules.')

function readContract(): Bundle {
  try {
    return bundle()
  } catch (error) {
    if (!(error instanceof BundleError)) throw error
    console.error(error.message)
    process.exit(1)
  }
}

function tooLong({ rooms }: Bundle): string[] {
  return rooms.flatMap(({ file, lines }) =>
    lines > MOST_LINES ? [`${file}:${lines}  error  file-length  A file has at most ${MOST_LINES} lines.`] : [],
  )
}

interface Found {
  problems: { ruleId: string; severity: string; message: string; location: { pointer?: string }[] }[]
}

function found({ document, lineOf }: Bundle): string[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-lint-'))
  const file = path.join(folder, 'openapi.json')
  writeFileSync(file, JSON.stringify(document))
  const cli = path.join(root, 'node_modules/@redocly/cli/bin/cli.js')
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [cli, 'lint', file, '--config', path.join(root, 'redocly.yaml'), '--format', 'json', '--max-problems', '1000'],
    { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  )
  rmSync(folder, { recursive: true })
  if (!stdout.startsWith('{')) throw new Error(stderr)
  return (JSON.parse(stdout) as Found).problems.map(({ ruleId, severity, message, location: [at] }) => {
    const { file, line } = lineOf(keysOf(at?.pointer ?? '#/'))
    return `${file}:${line}  ${severity}  ${ruleId}  ${message}`
  })
}

function keysOf(pointer: string): string[] {
  return pointer
    .slice('#/'.length)
    .split('/')
    .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'))
}
