/**
 * Change control. The contract of the last release is kept in contract/released.yaml, reduced to what clients depend on:
 * no texts, no examples.
 *
 *   npm run lint:breaking       fails when openapi.yaml breaks it, unless the major version has risen
 *   npm run release             the same, and then keeps openapi.yaml as the released one; its version has to have risen
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parse, stringify } from 'yaml'
import type { ContractDocument } from '../server/http/contract.ts'
import { publish } from '../server/platform/published.ts'
import { breakingChanges, type Published } from './breaking-changes.ts'

const root = path.resolve(import.meta.dirname, '..')
const kept = path.join(root, 'contract/released.yaml')

const present = outline(read(path.join(root, 'openapi.yaml')))
const released = existsSync(kept) ? (read(kept) as unknown as Published) : null
if (released !== null) judge(released)
if (process.argv.includes('--keep')) keep()

function judge(released: Published): void {
  const [was, is] = [released.info.version, present.info.version]
  const changes = breakingChanges(released, present)
  for (const { kind, place, what } of changes) console.log(`${kind}: ${place}: ${what}`)
  if (order(is, was) < 0) fail(`openapi.yaml is ${is}, and ${was} was released already.`)
  if (changes.length > 0 && major(is) === major(was)) {
    fail(`${changes.length} changes break clients of ${was}. Within a major version only additions are made.`)
  }
  console.log(changes.length === 0 ? `Nothing breaks clients of ${was}.` : `${is} may break clients of ${was}.`)
}

function keep(): void {
  const { version } = present.info
  if (released !== null && order(version, released.info.version) === 0) {
    if (stringify(released) === stringify(present)) return console.log(`${version} is released as it is.`)
    fail(`${version} was released with another content; raise info.version and write the change into x-changelog.`)
  }
  mkdirSync(path.dirname(kept), { recursive: true })
  const head = `# What clients of ${version} depend on, as "npm run release" wrote it. Never edited by hand.\n`
  writeFileSync(kept, head + stringify(present, { aliasDuplicateObjects: false, lineWidth: 120 }))
  console.log(`Kept ${version} as the released contract.`)
}

/** The published document without what only people read. */
function outline(document: ContractDocument): Published {
  const { enum: permissions } = document.components.schemas?.Permission as { enum: string[] }
  const whole = publish(document, new Set(permissions), '') as unknown as Published & { components: object }
  const { info, security, paths, webhooks, 'x-skills': skills, components } = whole
  const texts = new Set(['description', 'summary', 'example', 'examples', 'tags'])
  const bare = (value: unknown, isNamed: boolean): unknown => {
    if (Array.isArray(value)) return value.map((each) => bare(each, false))
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).filter(([key]) => isNamed || !texts.has(key))
    // Below these the keys are names that somebody gave, which may be those of texts.
    return Object.fromEntries(entries.map(([key, each]) => [key, bare(each, !isNamed && key === 'properties')]))
  }
  const { examples: _, ...rest } = components as Record<string, unknown>
  const told = { info: { version: info.version }, security, paths, webhooks, 'x-skills': skills, components: rest }
  return bare(told, false) as Published
}

function read(file: string): ContractDocument {
  return parse(readFileSync(file, 'utf8'), { maxAliasCount: -1 }) as ContractDocument
}

function major(version: string): string {
  return version.split('.')[0] ?? ''
}

function order(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
