import type { BrowserTokenCreate } from '../client/contract.gen.ts'
import { findOriginError } from '../server/interfaces/service/browser-token.ts'
import { getPublishedContractJson, getPublishedContractYaml } from '../server/interfaces/service/published-contract.ts'
import type { SkillFilter } from '../server/interfaces/skills/choose-skills.ts'
import { planSteps } from '../server/interfaces/skills/execute-batch.ts'
import {
  listFunctionDefinitions,
  listToolDefinitions,
  toPublishedSkill,
} from '../server/interfaces/skills/operations.ts'
import { getSkillCatalog, type Skill } from '../server/interfaces/skills/skill-catalog.ts'
import type { ContractReader } from '../server/platform/calls/call.ts'
import type { Checked } from '../server/platform/calls/checked.gen.ts'
import type { Contract, Operation, OperationId, SchemaReference } from '../server/platform/calls/contract.ts'
import { listEventTypes } from '../server/platform/events/event-types.ts'
import { BROWSER_TOKEN_MS } from '../server/platform/keys/browser-token.ts'
import { validationFailed } from '../server/platform/problems/problem.ts'
import type { Prism } from './prism.ts'

/**
 * Creates responses that depend on the request, so an example is not enough: downloads and the results of skills.
 * Downloads are generated from the contract alone, with the service's code.
 */
export function createResponseMakers(
  contract: Contract,
  prism: Prism,
  publicUrl: string,
): ReadonlyMap<OperationId, ResponseMaker> {
  const permission = contract.document.components.schemas?.Permission as { enum: string[] }
  const reader: ContractReader = {
    permissions: new Set(permission.enum),
    services: { contract, config: { publicUrl } },
  }
  return new Map<OperationId, ResponseMaker>([
    ['createBrowserToken', ({ body, shown }) => makeBrowserToken(body as BrowserTokenCreate, shown)],
    ['getOpenApiJson', ({ query }) => getPublishedContractJson(reader, query.tags as string[] | undefined)],
    ['getOpenApiYaml', ({ query }) => getPublishedContractYaml(reader, query.tags as string[] | undefined)],
    ['getToolDefinitions', ({ query }) => listToolDefinitions(reader, query as SkillFilter)],
    ['getFunctionDefinitions', ({ query }) => listFunctionDefinitions(reader, query as SkillFilter)],
    ['getSkill', ({ path }) => toPublishedSkill(getSkillCatalog(contract).find(String(path.skillName)))],
    ['executeSkill', ({ body }) => makeExecution(contract, prism, body as SkillCall)],
    // For these operations, the mock returns the example or, if the service would certainly reject the request, a
    // problem.
    ['executeBatch', ({ body, shown }) => planSteps(reader, (body as Checked['ExecuteBatch']).steps) && shown],
    [
      'createProposal',
      ({ body, shown }) => {
        const { skill, input } = body as SkillCall
        getSkillCatalog(contract).find(skill).check(input)
        return shown
      },
    ],
  ])
}

/** Returns the example's token with the origin and permissions of the request, and an expiry in the future. */
function makeBrowserToken({ origin, permissions }: BrowserTokenCreate, shown: unknown): object {
  const fault = findOriginError(origin)
  if (fault !== null) throw validationFailed([fault])
  const expiresAt = new Date(Date.now() + BROWSER_TOKEN_MS).toISOString()
  return { ...(shown as object), origin, permissions, expiresAt }
}

/** Creates the response body for a request whose input is valid. */
export type ResponseMaker = (input: {
  path: Record<string, unknown>
  query: Record<string, unknown>
  body: unknown
  /** The example that the mock would return without this function. */
  shown: unknown
}) => unknown

interface SkillCall {
  skill: string
  input: Record<string, unknown>
  dryRun: boolean
}

interface ExecutedSkill {
  skill: string
  dryRun: boolean
}

/**
 * Returns the result of a skill: the contract's example of its execution, or the example of its operation. For a
 * composite skill without an example, returns a value that matches its schema. Throws a problem for an unknown skill or
 * for invalid input.
 */
async function makeExecution(
  contract: Contract,
  prism: Prism,
  { skill: name, input, dryRun }: SkillCall,
): Promise<unknown> {
  const skill = getSkillCatalog(contract).find(name)
  skill.check(input)
  const runs = listExamples(contract, requireOperation(contract, 'executeSkill')) as ExecutedSkill[]
  const ofSkill = runs.filter((run) => run.skill === name)
  const shown = ofSkill.find((run) => run.dryRun === dryRun) ?? ofSkill[0]
  if (shown !== undefined) return { ...shown, dryRun }
  const [template] = runs
  const operation = skill.kind === 'operation' ? requireOperation(contract, name) : null
  const result = operation === null ? await prism.made(skill.outputSchema, name) : listExamples(contract, operation)[0]
  return { ...template, skill: name, result: result ?? null, events: makeEvents(contract, skill, operation), dryRun }
}

function makeEvents(contract: Contract, skill: Skill, operation: Operation | null): unknown[] {
  if (!skill.writes || operation === null) return []
  return listEventTypes(contract)
    .filter(({ type }) => operation.emits.includes(type))
    .map(({ example }) => example)
}

function requireOperation(contract: Contract, id: string): Operation {
  const operation = [...contract.operations.values()].find((each) => each.id === id)
  if (operation === undefined) throw new Error(`Expected the contract to have an operation ${id}.`)
  return operation
}

/** Returns the example bodies of an operation's success response. */
function listExamples(contract: Contract, { declaration }: Operation): unknown[] {
  type Shown = { content?: Record<string, { examples?: Record<string, { value: unknown } | SchemaReference> }> }
  const [, declared] = Object.entries(declaration.responses).find(([status]) => status.startsWith('2')) ?? []
  if (declared === undefined) return []
  const [media] = Object.values(contract.resolve<Shown>(declared as Shown).content ?? {})
  return Object.values(media?.examples ?? {}).map((example) => contract.resolve<{ value: unknown }>(example).value)
}
