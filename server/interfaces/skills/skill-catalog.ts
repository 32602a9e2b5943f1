import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js'
import type { Permission, Skill as PublishedSkill } from '../../../client/contract.gen.ts'
import type { Call, ContractReader } from '../../platform/calls/call.ts'
import { type Contract, ContractError, isSkill, type Operation, type Schema } from '../../platform/calls/contract.ts'
import { findAcceptingOperation } from '../../platform/calls/field-hints.ts'
import { describeOperation } from '../../platform/calls/operation-description.ts'
import { type CheckedInput, toFieldErrors } from '../../platform/problems/field-errors.ts'
import { FAST_COMPILATION, hasTooManyDecimals, registerFormats } from '../../platform/problems/formats.ts'
import { Problem, problem, validationFailed } from '../../platform/problems/problem.ts'
import { listSimilarNames } from '../../platform/problems/similar-names.ts'
import { getMinorUnits, MAX_DECIMALS } from '../../platform/values/minor-units.ts'
import { listBriefFields } from './brief-fields.ts'
import { COMPOSITES } from './composite-skills.ts'
import { WorkLimit } from './frame/work-limit.ts'
import { type Marks, readMarks } from './marks.ts'
import { EFFECTS, findCompositeEffect, findOperationEffect, type SkillEffect } from './skill-effect.ts'
import {
  getResultSchema,
  inlineReferences,
  type ObjectSchema,
  omitNulls,
  parseJsonTexts,
  toConciseSchema,
  toFlatInputSchema,
  toObjectSchema,
  toPublishedSchema,
} from './skill-schemas.ts'

/**
 * A skill that can be run by name: an operation of the contract under its operationId, or a composite skill that the
 * contract declares under `x-skills`. A composite skill has no permissions of its own. It changes data only through
 * operations, so the permission checks, the validation, and the events of each operation apply. It reads large amounts
 * of data through the queries of other modules, for which it requires the corresponding permissions.
 */
export interface Skill {
  readonly name: string
  readonly kind: PublishedSkill['kind']
  readonly summary: string
  readonly description: string
  readonly permissions: readonly Permission[]
  readonly effect: SkillEffect
  readonly writes: boolean
  /** The tags of the skill in the form that URLs use, such as `bid-requests`. */
  readonly tags: readonly string[]
  /** Whether models can use the skill. Downloads, tokens, and the catalog itself are only for programs. */
  readonly isTool: boolean
  /** The use cases of the skill, which are the summaries of the examples in the contract. */
  readonly examples: readonly string[]
  /** Requests in the words of office staff. The search should find the skill for each of them. */
  readonly phrases: readonly string[]
  /** Whether null in the input clears a value. A field that is left out keeps its value. */
  readonly nullClears: boolean
  readonly inputSchema: ObjectSchema
  /** The input schema without rarely used fields, which keeps tool definitions short. */
  readonly toolSchema: ObjectSchema
  readonly outputSchema: Schema
  /** The fields that a summary shows, by the path of their records in the result. */
  readonly brief: ReadonlyMap<string, readonly string[]>
  /** The contract's marks in the input and the result (see marks.ts). */
  readonly marks: { readonly input: Marks | null; readonly output: Marks | null }
  /**
   * Validates an input. Returns it with defaults and without unnecessary nulls. Throws `validation_failed` with
   * pointers below /input. If a currency is given, also checks the decimals of amounts.
   */
  check(input: unknown, currency?: string): Record<string, unknown>
  /** Returns the skill's result; null if the skill has no result. */
  run(input: Record<string, unknown>, call: Call): Promise<PublishedResult>
}

export type PublishedResult = Record<string, unknown> | string | null

export interface SkillCatalog {
  /** All skills, sorted by name. */
  readonly skills: readonly Skill[]
  /** Returns a skill. If it does not exist, throws `skill_not_found` with the most similar names. */
  find(name: string): Skill
}

const catalogs = new WeakMap<Contract, SkillCatalog>()

export function getSkillCatalog(contract: Contract): SkillCatalog {
  let catalogue = catalogs.get(contract)
  if (catalogue === undefined) {
    catalogue = buildCatalog(contract)
    catalogs.set(contract, catalogue)
  }
  return catalogue
}

/** Throws unless the composite skills in the code are exactly those in the contract. */
export function assertCompositesImplemented(contract: Contract): void {
  const declared = Object.keys(listDeclaredComposites(contract))
  const missing = declared.filter((name) => !Object.hasOwn(COMPOSITES, name))
  if (missing.length > 0)
    throw new ContractError(`These x-skills of the contract have no implementation: ${missing.join(', ')}.`)
  const undeclared = Object.keys(COMPOSITES).filter((name) => !declared.includes(name))
  if (undeclared.length > 0)
    throw new ContractError(`The x-skills of the contract do not declare these skills: ${undeclared.join(', ')}.`)
}

function buildCatalog(contract: Contract): SkillCatalog {
  assertCompositesImplemented(contract)
  const compile = inputCompiler()
  const operations = [...contract.operations.values()].filter(isSkill)
  const skills = [
    ...operations.map((operation) => toOperationSkill(contract, operation, compile)),
    ...Object.entries(listDeclaredComposites(contract)).map(([name, declared]) =>
      toCompositeSkill(contract, name, declared, compile),
    ),
  ].sort((a, b) => (a.name < b.name ? -1 : 1))
  const byName = new Map(skills.map((skill) => [skill.name, skill]))
  return {
    skills,
    find(name) {
      const skill = byName.get(name)
      if (skill !== undefined) return skill
      const nearest = listSimilarNames(name, [...byName.keys()], MAX_SUGGESTIONS)
      throw problem('skill_not_found', `Unknown skill "${name}". Did you mean ${nearest.join(', ')}?`, {
        nearest,
      })
    },
  }
}

function toOperationSkill(contract: Contract, operation: Operation, compile: Compile): Skill {
  const { id, declaration, permissions, emits, method } = operation
  const input = toFlatInputSchema(contract, operation)
  const output = getResultSchema(contract, operation)
  const effect = findOperationEffect(method, declaration)
  return {
    name: id,
    kind: 'operation',
    summary: declaration.summary ?? id,
    description: describeOperation({ ...declaration, permissions, emits, writes: method !== 'GET' }),
    // A lint rule for the contract ensures that these permissions exist.
    permissions: permissions as Permission[],
    effect,
    writes: EFFECTS[effect].writes,
    tags: (declaration.tags ?? []).map(toPathSegment),
    isTool: declaration['x-tool'] !== false,
    examples: listExampleSummaries(declaration.requestBody?.content['application/json']?.examples),
    phrases: declaration['x-phrases'] ?? [],
    nullClears: method === 'PATCH',
    ...toInputSchemas(contract, input),
    outputSchema: toPublishedSchema(output),
    brief: listBriefFields(output),
    marks: { input: readMarks(input), output: readMarks(output) },
    check: createInputChecker(input, compile, (name) => findAcceptingOperation(contract, operation, name)),
    run: async (provided, call) => ((await call.operation(id, provided)) ?? null) as PublishedResult,
  }
}

function toInputSchemas(
  contract: Contract,
  input: ObjectSchema,
  beside: { examples?: readonly unknown[] } = {},
): Pick<Skill, 'inputSchema' | 'toolSchema'> {
  const inputSchema = { ...toConciseSchema(contract, toPublishedSchema(input)), ...beside }
  const isInTool = ([name]: [string, Schema]) => input.properties[name]?.['x-tool'] !== false
  const properties = Object.fromEntries(Object.entries(inputSchema.properties).filter(isInTool))
  return { inputSchema, toolSchema: { ...inputSchema, properties } }
}

interface DeclaredComposite {
  summary: string
  description: string
  permissions: Permission[]
  writes: boolean
  'x-effect'?: SkillEffect
  'x-phrases'?: readonly string[]
  input: Schema
  output: Schema
  examples: Record<string, { summary?: string; value: unknown }>
}

function listDeclaredComposites(contract: Contract): Record<string, DeclaredComposite> {
  return (contract.document['x-skills'] ?? {}) as Record<string, DeclaredComposite>
}

function toCompositeSkill(contract: Contract, name: string, declared: DeclaredComposite, compile: Compile): Skill {
  const { summary, description, permissions, writes } = declared
  const input = toObjectSchema(contract, declared.input, name)
  const output = inlineReferences(contract, declared.output)
  const perform = COMPOSITES[name]
  if (perform === undefined) throw new ContractError(`The composite skill ${name} has no implementation.`)
  return {
    name,
    kind: 'composite',
    summary,
    description: describeOperation({ description, permissions, writes }),
    permissions,
    effect: findCompositeEffect(declared),
    writes,
    tags: [...new Set(['skills', ...permissions.map(permissionSubject)])].sort(),
    isTool: true,
    examples: listExampleSummaries(declared.examples),
    phrases: declared['x-phrases'] ?? [],
    nullClears: false,
    ...toInputSchemas(contract, input, { examples: Object.values(declared.examples).map(({ value }) => value) }),
    outputSchema: toPublishedSchema(output),
    brief: listBriefFields(output),
    marks: { input: readMarks(input), output: readMarks(output) },
    check: createInputChecker(input, compile),
    run: async (provided, call) => (await perform(provided, call, new WorkLimit(name))) as Record<string, unknown>,
  }
}

function listExampleSummaries(examples: Record<string, { summary?: string }> = {}): string[] {
  return Object.values(examples).flatMap(({ summary }) => summary ?? [])
}

export function toPathSegment(tag: string): string {
  return tag.toLowerCase().replaceAll(' ', '-')
}

/** Returns the tag of the records to which a permission applies. */
function permissionSubject(permission: Permission): string {
  const [subject = ''] = permission.split(':')
  return subject === 'pos' ? 'purchase-orders' : subject
}

/** Throws `permission_denied` unless the caller has every permission that the skill requires. */
export function assertSkillPermitted(call: ContractReader, skill: Skill): void {
  const missing = skill.permissions.find((permission) => !call.permissions.has(permission))
  if (missing !== undefined) {
    throw new Problem('permission_denied', `The skill ${skill.name} requires ${skill.permissions.join(' and ')}.`, {
      permission: missing,
    })
  }
}

/**
 * Returns the names of the skills for which the caller has all permissions. Executions and proposals of other skills
 * are hidden from the caller, because it may not read their records.
 */
export function listRunnableSkills(call: Call): string[] {
  return getSkillCatalog(call.services.contract)
    .skills.filter(({ permissions }) => permissions.every((one) => call.permissions.has(one)))
    .map(({ name }) => name)
}

/**
 * Returns whether the skill is in the caller's catalog. A composite skill can be run only through executeSkill, so the
 * caller must be allowed to use that operation.
 */
export function canUseSkill(call: ContractReader, skill: Skill): boolean {
  const holds = skill.permissions.every((permission) => call.permissions.has(permission))
  return holds && (skill.kind === 'operation' || call.permissions.has('skills:write'))
}

/** Throws `permission_denied` unless the skill is in the caller's catalog. */
export function assertCanUseSkill(call: ContractReader, skill: Skill): void {
  assertSkillPermitted(call, skill)
  if (!canUseSkill(call, skill)) {
    throw new Problem('permission_denied', `The composite skill ${skill.name} also requires skills:write.`, {
      permission: 'skills:write',
    })
  }
}

/** Compiles a schema. `moneyDecimals` is the number of decimals that amounts may have. */
type Compile = (schema: ObjectSchema, moneyDecimals: number) => ValidateFunction

function inputCompiler(): Compile {
  const byDecimals = new Map<number, InstanceType<typeof Ajv2020.default>>()
  return (schema, moneyDecimals) => {
    const ajv =
      byDecimals.get(moneyDecimals) ??
      registerFormats(
        new Ajv2020.default({ strict: false, allErrors: true, verbose: true, useDefaults: true, ...FAST_COMPILATION }),
        moneyDecimals,
      )
    byDecimals.set(moneyDecimals, ajv)
    return ajv.compile(schema)
  }
}

function createInputChecker(schema: ObjectSchema, compile: Compile, setter?: CheckedInput['setter']): Skill['check'] {
  const checked: CheckedInput = {
    pointer: (path) => `/input${path}`,
    noun: 'input of this skill',
    listsNames: true,
    ...(setter && { setter }),
  }
  const compiled = new Map<number, ValidateFunction>()
  return (input, currency) => {
    const provided = omitNulls(schema, parseJsonTexts(schema, structuredClone(input))) as Record<string, unknown>
    // Uses the compiled skill that serves all currencies if possible. Few amounts have more decimals than their
    // currency allows.
    const isStrict = currency !== undefined && hasTooManyDecimals(provided, currency)
    const moneyDecimals = isStrict ? getMinorUnits(currency) : MAX_DECIMALS
    const validate = compiled.get(moneyDecimals) ?? compile(schema, moneyDecimals)
    compiled.set(moneyDecimals, validate)
    if (!validate(provided))
      throw validationFailed(toFieldErrors(validate.errors ?? [], isStrict ? { ...checked, currency } : checked))
    return provided
  }
}

/** The maximum number of similar names to suggest for an unknown name. */
const MAX_SUGGESTIONS = 5
