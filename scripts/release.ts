/**
 * Checks the contract against the last release. scripts/released-contract.yaml contains the contract of the last
 * release, reduced to the parts on which clients depend, without texts and examples.
 *
 *   npm run lint:breaking       fails if the contract breaks it, unless the major version was raised
 *   npm run release             does the same, and then stores the contract as the released one; requires a higher version
 *
 * Both commands also accept two other documents, each in a single file: … -- [contract] [released].
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Command } from 'commander'
import { Document, isPair, isScalar, parse, stringify, visit } from 'yaml'
import { bundleContract } from '../contract/bundle.ts'
import { publishCompleteContract } from '../server/interfaces/service/published-contract.ts'
import type { ContractDocument } from '../server/platform/calls/contract.ts'
import { type ContractSnapshot, listBreakingChanges } from './breaking-changes.ts'

const root = path.resolve(import.meta.dirname, '..')
const own = path.join(root, 'openapi.yaml')
const program = new Command('release')
  .description('Compare the contract with the contract of the last release.')
  .argument('[contract]', 'contract to compare', own)
  .argument('[released]', 'released contract', path.join(root, 'scripts/released-contract.yaml'))
  .option('--keep', 'save the contract as the released one')
  .parse()
const [source, kept] = program.processedArgs as [string, string]

const present = toOutline(source === own ? bundleContract() : readContractFile(source))
const released = existsSync(kept) ? (readContractFile(kept) as unknown as ContractSnapshot) : null
if (released !== null) checkRelease(released)
if (program.opts<{ keep?: true }>().keep) keepRelease()

function checkRelease(released: ContractSnapshot): void {
  const [was, is] = [released.info.version, present.info.version]
  const changes = listBreakingChanges(released, present)
  // Reports a change to a schema only once, although many operations may share the schema.
  const alike = Map.groupBy(changes, ({ kind, place, what }) => `${kind} ${place.split('/').at(-1)} ${what}`)
  for (const [first, ...others] of alike.values()) {
    const more = others.length === 0 ? '' : ` (and in ${others.length} more places)`
    console.log(`${first?.kind}: ${first?.place}: ${first?.what}${more}`)
  }
  if (compareVersions(is, was) < 0) fail(`The contract is ${is}, and ${was} was released already.`)
  if (changes.length > 0 && majorVersion(is) === majorVersion(was)) {
    fail(`${changes.length} changes break clients of ${was}. Within a major version only additions are allowed.`)
  }
  console.log(changes.length === 0 ? `Nothing breaks clients of ${was}.` : `${is} may break clients of ${was}.`)
}

function keepRelease(): void {
  const { version } = present.info
  if (released !== null && compareVersions(version, released.info.version) === 0) {
    if (stringify(released) !== stringify(present))
      fail(
        `${version} was already released with different content. Raise info.version, and describe the change in x-changelog.`,
      )
    console.log(`${version} is released unchanged.`)
    return
  }
  mkdirSync(path.dirname(kept), { recursive: true })
  const head = `# What clients of ${version} depend on, as "npm run release" wrote it. Never edited by hand.\n`
  const document = new Document(present, { aliasDuplicateObjects: false })
  // Writes collections of simple values on one line.
  visit(document, {
    Collection(_key, node) {
      const inner = node.items.map((item) => (isPair(item) ? item.value : item))
      if (inner.every((each) => isScalar(each))) node.flow = true
    },
  })
  writeFileSync(kept, head + document.toString({ lineWidth: 160 }))
  console.log(`Saved ${version} as the released contract.`)
}

/** Returns the published document without the parts that are only for human readers. */
function toOutline(document: ContractDocument): ContractSnapshot {
  const whole = publishCompleteContract(document, '') as unknown as ContractSnapshot
  const { info, security, paths, webhooks, 'x-skills': skills, components } = whole
  const texts = new Set(['description', 'summary', 'example', 'examples', 'tags'])
  const bare = (value: unknown, isNamed: boolean): unknown => {
    if (Array.isArray(value)) return value.map((each) => bare(each, false))
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).filter(([key]) => isNamed || !texts.has(key))
    // The keys of `properties` are names of fields. They are kept, because a field can be named `summary` or
    // `description`.
    return Object.fromEntries(entries.map(([key, each]) => [key, bare(each, !isNamed && key === 'properties')]))
  }
  const { examples: _, ...rest } = components ?? {}
  const reported = { info: { version: info.version }, security, paths, webhooks, 'x-skills': skills, components: rest }
  return bare(reported, false) as ContractSnapshot
}

function readContractFile(file: string): ContractDocument {
  return parse(readFileSync(file, 'utf8'), { maxAliasCount: -1 }) as ContractDocument
}

function majorVersion(version: string): string {
  return version.split('.')[0] ?? ''
}

function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
