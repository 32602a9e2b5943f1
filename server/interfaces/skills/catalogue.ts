import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js'
import type { Permission, Skill as PublishedSkill } from '../../../client/contract.gen.ts'
import type { Call, Reader } from '../../platform/calls/call.ts'
import { type Contract, ContractError, type Operation, type Schema } from '../../platform/calls/contract.ts'
import { descriptionOf } from '../../platform/calls/description.ts'
import { setterOf } from '../../platform/calls/setter.ts'
import { type Checked, faultsOf } from '../../platform/problems/faults.ts'
import { COMPILED_FAST, hasMoreDecimals, withFormats } from '../../platform/problems/formats.ts'
import { nearestTo } from '../../platform/problems/nearest.ts'
import { invalid, Problem, problem } from '../../platform/problems/problem.ts'
import { MOST_DECIMALS, minorUnits } from '../../platform/values/minor-units.ts'
import { COMPOSITES } from './composites.ts'
import { EFFECTS, type Effect, effectOf, effectOfComposite } from './effect.ts'
import { Effort } from './frame/effort.ts'
import { type Marks, marksOf } from './marks.ts'
import {
  flatInput,
  forModels,
  inlined,
  type ObjectSchema,
  objectSchema,
  published,
  resultOf,
  withoutNulls,
} from './schemas.ts'

/**
 * Everything that can be run by name: each operation of the contract under its operationId, and the composite skills
 * declared under `x-skills`. A composite skill has no powers of its own: it changes data only through operations, so
 * the permission checks, validation and events of each operation apply. Bulk reads use the queries of the modules
 * concerned, and are covered by the permissions that the skill requires.
 */
export interface Skill {
  readonly name: string
  readonly kind: PublishedSkill['kind']
  readonly summary: string
  readonly description: string
  readonly permissions: readonly Permission[]
  readonly effect: Effect
  readonly writes: boolean
  /** The tags it belongs to, in the form of URLs, such as `bid-requests`. */
  readonly tags: readonly string[]
  /** Whether models are offered it. Downloads, tokens and the catalog itself are for programs. */
  readonly isTool: boolean
  /** Its use cases, from the summaries of the contract's examples. */
  readonly examples: readonly string[]
  /** How people ask for it, in words that the description does not use. */
  readonly asked: readonly string[]
  /** Whether null in the input clears a value, while omitting it keeps the value. */
  readonly nullClears: boolean
  readonly inputSchema: ObjectSchema
  readonly outputSchema: Schema
  /** The contract's marks in the input and the result (marks.ts). */
  readonly marks: { readonly input: Marks | null; readonly output: Marks | null }
  /**
   * Returns the input with defaults and without superfluous nulls. Throws `validation_failed` with pointers below
   * /input. Checks the decimals of amounts if a currency is given.
   */
  check(input: unknown, currency?: string): Record<string, unknown>
  /** Returns the result; null if the skill has none. */
  run(input: Record<string, unknown>, call: Call): Promise<PublishedResult>
}

export type PublishedResult = Record<string, unknown> | string | null

export interface Catalogue {
  /** Sorted by name. */
  readonly skills: readonly Skill[]
  /** Throws `skill_not_found` with the most similar names. */
  find(name: string): Skill
}

/** Operations that run skills are not skills: they would only wrap others. */
const NO_SKILLS: ReadonlySet<string> = new Set(['executeSkill', 'executeBatch', 'createProposal', 'approveProposal'])

const catalogues = new WeakMap<Contract, Catalogue>()

export function catalogueOf(contract: Contract): Catalogue {
  let catalogue = catalogues.get(contract)
  if (catalogue === undefined) {
    catalogue = makeCatalogue(contract)
    catalogues.set(contract, catalogue)
  }
  return catalogue
}

/** Throws unless the implemented composite skills are exactly those that the contract declares. */
export function assertComposites(contract: Contract): void {
  const declared = Object.keys(declaredComposites(contract))
  const missing = declared.filter((name) => !Object.hasOwn(COMPOSITES, name))
  if (missing.length > 0)
    throw new ContractError(`The x-skills of the contract have no implementation: ${missing.join(', ')}.`)
  const undeclared = Object.keys(COMPOSITES).filter((name) => !declared.includes(name))
  if (undeclared.length > 0)
    throw new ContractError(`The x-skills of the contract do not declare these skills: ${undeclared.join(', ')}.`)
}

function makeCatalogue(contract: Contract): Catalogue {
  assertComposites(contract)
  const compile = inputCompiler()
  // A vendor's actions in the portal are not skills for the builder's agents.
  const operations = [...contract.operations.values()].filter(
    ({ id, schemes, declaration }) => schemes.has('apiKey') && declaration['x-skill'] !== false && !NO_SKILLS.has(id),
  )
  const skills = [
    ...operations.map((operation) => operationSkill(contract, operation, compile)),
    ...Object.entries(declaredComposites(contract)).map(([name, declared]) =>
      compositeSkill(contract, name, declared, compile),
    ),
  ].sort((a, b) => (a.name < b.name ? -1 : 1))
  const byName = new Map(skills.map((skill) => [skill.name, skill]))
  return {
    skills,
    find(name) {
      const skill = byName.get(name)
      if (skill !== undefined) return skill
      const nearest = nearestTo(name, [...byName.keys()], MOST_NEAREST)
      throw problem('skill_not_found', `Unknown skill "${name}". Did you mean ${nearest.join(', ')}?`, {
        nearest,
      })
    },
  }
}

function operationSkill(contract: Contract, operation: Operation, compile: Compile): Skill {
  const { id, declaration, permissions, emits, method } = operation
  const input = flatInput(contract, operation)
  const output = resultOf(contract, operation)
  const effect = effectOf(method, declaration)
  return {
    name: id,
    kind: 'operation',
    summary: declaration.summary ?? id,
    description: descriptionOf({ ...declaration, permissions, emits, writes: method !== 'GET' }),
    // The contract's lint allows only permissions that exist.
    permissions: permissions as Permission[],
    effect,
    writes: EFFECTS[effect].writes,
    tags: (declaration.tags ?? []).map(inAddress),
    isTool: declaration['x-tool'] !== false,
    examples: summariesOf(declaration.requestBody?.content['application/json']?.examples),
    asked: declaration['x-asked'] ?? [],
    nullClears: method === 'PATCH',
    inputSchema: forModels(contract, published(input)),
    outputSchema: published(output),
    marks: { input: marksOf(input), output: marksOf(output) },
    check: checker(input, compile, (name) => setterOf(contract, operation, name)),
    run: async (given, call) => ((await call.operation(id, given)) ?? null) as PublishedResult,
  }
}

interface DeclaredComposite {
  summary: string
  description: string
  permissions: Permission[]
  writes: boolean
  'x-effect'?: Effect
  'x-asked'?: readonly string[]
  input: Schema
  output: Schema
  examples: Record<string, { summary?: string; value: unknown }>
}

function declaredComposites(contract: Contract): Record<string, DeclaredComposite> {
  return (contract.document['x-skills'] ?? {}) as Record<string, DeclaredComposite>
}

function compositeSkill(contract: Contract, name: string, declared: DeclaredComposite, compile: Compile): Skill {
  const { summary, description, permissions, writes } = declared
  const input = objectSchema(contract, declared.input, name)
  const output = inlined(contract, declared.output)
  const perform = COMPOSITES[name]
  if (perform === undefined) throw new ContractError(`The composite skill ${name} has no implementation.`)
  return {
    name,
    kind: 'composite',
    summary,
    description: descriptionOf({ description, permissions, writes }),
    permissions,
    effect: effectOfComposite(declared),
    writes,
    tags: [...new Set(['skills', ...permissions.map(subjectOf)])].sort(),
    isTool: true,
    examples: summariesOf(declared.examples),
    asked: declared['x-asked'] ?? [],
    nullClears: false,
    inputSchema: {
      ...forModels(contract, published(input)),
      examples: Object.values(declared.examples).map(({ value }) => value),
    },
    outputSchema: published(output),
    marks: { input: marksOf(input), output: marksOf(output) },
    check: checker(input, compile),
    run: async (given, call) => (await perform(given, call, new Effort(name))) as Record<string, unknown>,
  }
}

function summariesOf(examples: Record<string, { summary?: string }> = {}): string[] {
  return Object.values(examples).flatMap(({ summary }) => summary ?? [])
}

export function inAddress(tag: string): string {
  return tag.toLowerCase().replaceAll(' ', '-')
}

/** Returns the tag of the records that a permission covers. */
function subjectOf(permission: Permission): string {
  const [subject = ''] = permission.split(':')
  return subject === 'pos' ? 'purchase-orders' : subject
}

/** Throws `permission_denied` unless the caller has every permission that the skill requires. */
export function permitSkill(call: Reader, skill: Skill): void {
  const missing = skill.permissions.find((permission) => !call.permissions.has(permission))
  if (missing !== undefined) {
    throw new Problem('permission_denied', `The skill ${skill.name} requires ${skill.permissions.join(' and ')}.`, {
      permission: missing,
    })
  }
}

/**
 * Returns the names of the skills for which the caller has the permissions. The caller does not see executions or
 * proposals of other skills, because it may not read their records.
 */
export function runnable(call: Call): string[] {
  return catalogueOf(call.surroundings.contract)
    .skills.filter(({ permissions }) => permissions.every((one) => call.permissions.has(one)))
    .map(({ name }) => name)
}

/** Whether the skill belongs in the caller's catalog. A composite skill can only be run through executeSkill. */
export function mayUse(call: Reader, skill: Skill): boolean {
  const holds = skill.permissions.every((permission) => call.permissions.has(permission))
  return holds && (skill.kind === 'operation' || call.permissions.has('skills:write'))
}

/** Throws `permission_denied` unless the skill belongs in the caller's catalog. */
export function permitUse(call: Reader, skill: Skill): void {
  permitSkill(call, skill)
  if (!mayUse(call, skill)) {
    throw new Problem('permission_denied', `The composite skill ${skill.name} also requires skills:write.`, {
      permission: 'skills:write',
    })
  }
}

/** Compiles a schema in which amounts may have this number of decimals. */
type Compile = (schema: ObjectSchema, moneyDecimals: number) => ValidateFunction

function inputCompiler(): Compile {
  const byDecimals = new Map<number, InstanceType<typeof Ajv2020.default>>()
  return (schema, moneyDecimals) => {
    const ajv =
      byDecimals.get(moneyDecimals) ??
      withFormats(
        new Ajv2020.default({ strict: false, allErrors: true, verbose: true, useDefaults: true, ...COMPILED_FAST }),
        moneyDecimals,
      )
    byDecimals.set(moneyDecimals, ajv)
    return ajv.compile(schema)
  }
}

function checker(schema: ObjectSchema, compile: Compile, setter?: Checked['setter']): Skill['check'] {
  const checked: Checked = {
    pointer: (path) => `/input${path}`,
    noun: 'input of this skill',
    ...(setter && { setter }),
  }
  const compiled = new Map<number, ValidateFunction>()
  return (input, currency) => {
    const given = withoutNulls(schema, structuredClone(input)) as Record<string, unknown>
    // Most inputs have no more decimals than the currency, so one compiled schema serves all currencies.
    const isStrict = currency !== undefined && hasMoreDecimals(given, currency)
    const moneyDecimals = isStrict ? minorUnits(currency) : MOST_DECIMALS
    const validate = compiled.get(moneyDecimals) ?? compile(schema, moneyDecimals)
    compiled.set(moneyDecimals, validate)
    if (!validate(given)) throw invalid(faultsOf(validate.errors ?? [], isStrict ? { ...checked, currency } : checked))
    return given
  }
}

/** How many similar names are suggested for an unknown one. */
const MOST_NEAREST = 5
