import type { CallToolResult, JSONObject, Tool } from '@modelcontextprotocol/server'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { toFieldErrors } from '../../platform/problems/field-errors.ts'
import { problem, validationFailed } from '../../platform/problems/problem.ts'
import { assertCanUseSkill, canUseSkill, getSkillCatalog } from '../skills/skill-catalog.ts'
import { EFFECTS } from '../skills/skill-effect.ts'
import { type ObjectSchema, tryParseJson } from '../skills/skill-schemas.ts'
import { getSkillSearch } from '../skills/skill-search.ts'
import { describeSkillForModels } from '../skills/tool-definitions.ts'
import { describeUntrustedText, runSkill, runTool, type ToolRun } from './run-tool.ts'
import type { ResultDetail } from './summarize-result.ts'

/**
 * The four tools that give access to every skill: search, describe, read, and execute. The definitions of the tools are
 * short, because a connected model reads all of them with each request. A test limits them to 1,000 tokens.
 */
interface MetaTool {
  readonly tool: Tool
  run(input: Record<string, unknown>, running: ToolRun): Promise<CallToolResult>
}

const READ_HINTS = { readOnlyHint: true, openWorldHint: false }
const OBJECT = { type: 'object' as const }
const textSchema = (description: string) => ({ type: 'string', minLength: 1, maxLength: 1000, description })
const INPUT = {
  type: 'object',
  description: 'Input of the skill (see describe_skill). IDs can be numbers or exact names.',
}

function defineTool(
  definition: Omit<Tool, 'inputSchema'>,
  properties: Record<string, JSONObject>,
  required: string[],
  run: MetaTool['run'],
): MetaTool {
  return {
    tool: { ...definition, inputSchema: { ...OBJECT, properties, required, additionalProperties: false } },
    run,
  }
}

const searchSkills = defineTool(
  {
    name: 'search_skills',
    description:
      'Finds skills for a task in this home builder’s system: bids, orders, budgets, schedules, sales. Start here.',
    annotations: READ_HINTS,
  },
  {
    query: textSchema('Task in plain words.'),
    limit: { type: 'integer', minimum: 1, maximum: 20, default: 5 },
  },
  ['query'],
  ({ query, limit = 5 }, running) => {
    const { call } = running
    return runTool(running, () => {
      const found = getSkillSearch(call.services.contract).find(String(query), Number(limit), (skill) =>
        canUseSkill(call, skill),
      )
      const skills = found.map(({ name, description, writes, inputSchema }) => ({
        ...{ name, writes },
        ...{ purpose: takeFirstSentences(description), input: listInputs(inputSchema) },
      }))
      return { text: { skills, ...(skills.length === 0 && { hint: NOTHING_FOUND }) } }
    })
  },
)

const NOTHING_FOUND =
  'No available skill matches these words. Use a verb and a noun, such as "list homes" or "record a bid".'

const describeSkill = defineTool(
  {
    name: 'describe_skill',
    description: 'Returns the purpose and effect of a skill, and the JSON Schema of its input.',
    annotations: READ_HINTS,
  },
  {
    skill: textSchema('Name of the skill.'),
    withResult: { type: 'boolean', description: 'Whether to include the result schema.' },
  },
  ['skill'],
  ({ skill: requested, withResult }, running) => {
    const { call } = running
    return runTool(running, () => {
      const skill = getSkillCatalog(call.services.contract).find(String(requested))
      assertCanUseSkill(call, skill)
      const { writes, destructive, idempotent } = EFFECTS[skill.effect]
      const { inputSchema, outputSchema } = skill
      const description = describeSkillForModels(skill)
      const shown = {
        ...{ name: skill.name, description, writes, destructive, idempotent, inputSchema },
        ...(withResult === true && { outputSchema }),
      }
      return { text: shown }
    })
  },
)

const DETAIL = {
  detail: { type: 'string', enum: ['summary', 'full'], default: 'summary' },
  fields: { type: 'array', items: { type: 'string' }, description: 'Result fields to return, such as tasks.name.' },
}

const readWithSkill = defineTool(
  {
    name: 'read_with_skill',
    description: 'Runs a read-only skill. The result is a summary without empty fields. Long lists are shortened.',
    annotations: READ_HINTS,
  },
  { skill: textSchema('Name of the skill.'), input: INPUT, ...DETAIL },
  ['skill'],
  ({ skill, input, ...selection }, running) => {
    const { call } = running
    const named = String(skill)
    const requested = { ...(selection as ResultDetail), skill: named, input, dryRun: false }
    const found = getSkillCatalog(call.services.contract).skills.find(({ name }) => name === named)
    // A tool that clients may run without asking the user must not write.
    if (found?.writes === true)
      return runTool(running, () => {
        throw problem('permission_denied', `${named} changes data. Use execute_skill to run it.`)
      })
    return runSkill(call, requested, running, ({ skill, result, untrustedText }) => {
      return {
        text: { skill, result, ...(untrustedText.length > 0 && { untrustedText }) },
        notes: describeUntrustedText(untrustedText),
      }
    })
  },
)

const executeSkill = defineTool(
  {
    name: 'execute_skill',
    description:
      'Runs any skill in one transaction. With dryRun=true, nothing is saved. First do a dry run and show the user the result.',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  },
  {
    ...{ skill: textSchema('Name of the skill.'), input: INPUT, dryRun: { type: 'boolean', default: false } },
    propose: { type: 'boolean', default: false, description: 'Whether another user must approve the change first.' },
    ...DETAIL,
  },
  ['skill'],
  ({ skill, input, dryRun, propose, ...selection }, running) => {
    const isDryRun = dryRun === true
    const requested = { skill: String(skill), input, dryRun: isDryRun, propose: propose === true }
    return runSkill(running.call, { ...(selection as ResultDetail), ...requested }, running, (execution) => {
      const { skill, result, untrustedText } = execution
      // Returns only the type and ID of each event. Complete events would repeat the records in the result and make up
      // most of the text.
      const events = execution.events.map(({ type, data }) => ({ type, id: data.object.id }))
      return {
        text: { skill, result, ...(untrustedText.length > 0 && { untrustedText }), events, dryRun: isDryRun },
        notes: describeUntrustedText(untrustedText),
      }
    })
  },
)

const metaTools = [searchSkills, describeSkill, readWithSkill, executeSkill]
export const META_TOOLS: readonly Tool[] = metaTools.map(({ tool }) => tool)

const ajv = new Ajv2020({ allErrors: true, strict: false, verbose: true })
const validators = new Map<string, ValidateFunction>()

/** Runs one of the four tools; returns null for any other tool. */
export async function runMetaTool(name: string, provided: unknown, running: ToolRun): Promise<CallToolResult | null> {
  const found = metaTools.find(({ tool }) => tool.name === name)
  if (found === undefined) return null
  let validate = validators.get(name)
  if (validate === undefined) {
    validate = ajv.compile(found.tool.inputSchema)
    validators.set(name, validate)
  }
  const input = { ...(provided as Record<string, unknown> | undefined) }
  // Some clients send nested objects as JSON text.
  if (typeof input.input === 'string') input.input = tryParseJson(input.input)
  if (!validate(input)) {
    const errors = toFieldErrors(validate.errors ?? [], {
      pointer: (path) => path,
      noun: 'input of this tool',
      listsNames: true,
    })
    return runTool(running, () => {
      throw validationFailed(errors)
    })
  }
  return found.run(input, running)
}

/**
 * Returns the names of the inputs, with a question mark after optional inputs. For a simple skill, no other description
 * is needed.
 */
function listInputs({ properties, required }: ObjectSchema): string {
  const names = [
    ...required,
    ...Object.keys(properties)
      .filter((name) => !required.includes(name))
      .map((name) => `${name}?`),
  ]
  const more = names.length > MAX_INPUTS ? `, and ${names.length - MAX_INPUTS} more` : ''
  return `${names.slice(0, MAX_INPUTS).join(', ')}${more}`
}

const MAX_INPUTS = 8

/**
 * The maximum length of a skill's purpose in search results, in characters. The beginning is enough to choose a skill,
 * and describe_skill returns the whole text.
 */
const MAX_PURPOSE_LENGTH = 160

function takeFirstSentences(description: string): string {
  if (description.length <= MAX_PURPOSE_LENGTH) return description
  const end = description.lastIndexOf('. ', MAX_PURPOSE_LENGTH)
  return end > 0 ? description.slice(0, end + 1) : `${description.slice(0, MAX_PURPOSE_LENGTH)}…`
}
