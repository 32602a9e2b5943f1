import type { BrowserTokenCreate } from '../client/contract.gen.ts'
import { originFault } from '../server/interfaces/service/browser-token.ts'
import { publishedJson, publishedYaml } from '../server/interfaces/service/published.ts'
import { planOf } from '../server/interfaces/skills/batch.ts'
import { catalogueOf, type Skill } from '../server/interfaces/skills/catalogue.ts'
import type { Wanted } from '../server/interfaces/skills/choice.ts'
import { functionDefinitions, toolDefinitions, toPublished } from '../server/interfaces/skills/operations.ts'
import type { Reader } from '../server/platform/calls/call.ts'
import type { Checked } from '../server/platform/calls/checked.gen.ts'
import type { Contract, Operation, OperationId, Reference } from '../server/platform/calls/contract.ts'
import { eventTypes } from '../server/platform/events/event-types.ts'
import { BROWSER_TOKEN_MS } from '../server/platform/keys/browser-token.ts'
import { invalid } from '../server/platform/problems/problem.ts'
import type { Prism } from './prism.ts'

/**
 * Responses that depend on the request, so an example cannot show them: downloads, which the service generates from the
 * contract alone, and so does the mock with the service's code; and the execution of skills.
 */
export function makers(contract: Contract, prism: Prism, publicUrl: string): ReadonlyMap<OperationId, Maker> {
  const permission = contract.document.components.schemas?.Permission as { enum: string[] }
  const reader: Reader = { permissions: new Set(permission.enum), surroundings: { contract, config: { publicUrl } } }
  return new Map<OperationId, Maker>([
    ['createBrowserToken', ({ body, shown }) => browserToken(body as BrowserTokenCreate, shown)],
    ['getOpenApiJson', ({ query }) => publishedJson(reader, query.tags as string[] | undefined)],
    ['getOpenApiYaml', ({ query }) => publishedYaml(reader, query.tags as string[] | undefined)],
    ['getToolDefinitions', ({ query }) => toolDefinitions(reader, query as Wanted)],
    ['getFunctionDefinitions', ({ query }) => functionDefinitions(reader, query as Wanted)],
    ['getSkill', ({ path }) => toPublished(catalogueOf(contract).find(String(path.skillName)))],
    ['executeSkill', ({ body }) => execution(contract, prism, body as Called)],
    // These return the example, unless the service would certainly reject the request.
    ['executeBatch', ({ body, shown }) => planOf(reader, (body as Checked['ExecuteBatch']).steps) && shown],
    [
      'createProposal',
      ({ body, shown }) => {
        const { skill, input } = body as Called
        catalogueOf(contract).find(skill).check(input)
        return shown
      },
    ],
  ])
}

/** Returns the example's token for the request, with an expiry in the future. */
function browserToken({ origin, permissions }: BrowserTokenCreate, shown: unknown): object {
  const fault = originFault(origin)
  if (fault !== null) throw invalid([fault])
  const expiresAt = new Date(Date.now() + BROWSER_TOKEN_MS).toISOString()
  return { ...(shown as object), origin, permissions, expiresAt }
}

/** Creates the response body for a request whose input is valid. */
export type Maker = (input: {
  path: Record<string, unknown>
  query: Record<string, unknown>
  body: unknown
  /** The example that would otherwise be returned. */
  shown: unknown
}) => unknown

interface Called {
  skill: string
  input: Record<string, unknown>
  dryRun: boolean
}

interface Executed {
  skill: string
  dryRun: boolean
}

/**
 * Returns the result of a skill: the contract's example of its execution, or the example of its operation, or for a
 * composite skill without an example a value of its schema. Throws the problems of an unknown skill and of invalid
 * input.
 */
async function execution(contract: Contract, prism: Prism, { skill: name, input, dryRun }: Called): Promise<unknown> {
  const skill = catalogueOf(contract).find(name)
  skill.check(input)
  const runs = examplesOf(contract, operationNamed(contract, 'executeSkill')) as Executed[]
  const ofSkill = runs.filter((run) => run.skill === name)
  const shown = ofSkill.find((run) => run.dryRun === dryRun) ?? ofSkill[0]
  if (shown !== undefined) return { ...shown, dryRun }
  const [template] = runs
  const operation = skill.kind === 'operation' ? operationNamed(contract, name) : null
  const result = operation === null ? await prism.made(skill.outputSchema, name) : examplesOf(contract, operation)[0]
  return { ...template, skill: name, result: result ?? null, events: eventsOf(contract, skill, operation), dryRun }
}

function eventsOf(contract: Contract, skill: Skill, operation: Operation | null): unknown[] {
  if (!skill.writes || operation === null) return []
  return eventTypes(contract)
    .filter(({ type }) => operation.emits.includes(type))
    .map(({ example }) => example)
}

function operationNamed(contract: Contract, id: string): Operation {
  const operation = [...contract.operations.values()].find((each) => each.id === id)
  if (operation === undefined) throw new Error(`Expected the contract to have an operation ${id}.`)
  return operation
}

/** Returns the example bodies of an operation's success response. */
function examplesOf(contract: Contract, { declaration }: Operation): unknown[] {
  type Shown = { content?: Record<string, { examples?: Record<string, { value: unknown } | Reference> }> }
  const [, declared] = Object.entries(declaration.responses).find(([status]) => status.startsWith('2')) ?? []
  if (declared === undefined) return []
  const [media] = Object.values(contract.resolve<Shown>(declared as Shown).content ?? {})
  return Object.values(media?.examples ?? {}).map((example) => contract.resolve<{ value: unknown }>(example).value)
}
