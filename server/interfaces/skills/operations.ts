import type {
  FunctionDefinition,
  ListedSkill,
  Skill as PublishedSkill,
  ToolDefinition,
} from '../../../client/contract.gen.ts'
import type { Reader } from '../../platform/calls/call.ts'
import type { Handlers } from '../../platform/calls/operation.ts'
import { itemsThatFit, readCursor, writeCursor } from '../../platform/calls/page.ts'
import { executeBatch } from './batch.ts'
import { catalogueOf, mayUse, permitSkill, type Skill } from './catalogue.ts'
import { chosen, type Wanted } from './choice.ts'
import { EFFECTS } from './effect.ts'
import { execute } from './execute.ts'
import { toFunction, toTool } from './tools.ts'

export const skillOperations = {
  async executeSkill({ body }, call) {
    return { status: 200, body: await execute(call, body) }
  },

  async executeBatch({ body }, call) {
    return { status: 200, body: await executeBatch(call, body) }
  },

  async listSkills({ query }, call) {
    const { limit, cursor, kind, expand, q = '' } = query
    const words = q.toLowerCase().split(/\s+/).filter(Boolean)
    const after = cursor === undefined ? '' : readCursor('name', cursor).id
    const found = chosen(call, usable(call), query).filter(
      (skill) => skill.name > after && (kind === undefined || skill.kind === kind) && matches(skill, words),
    )
    const items = found.slice(0, limit).map(expand === 'schemas' ? toPublished : toListed)
    const page = items.slice(
      0,
      itemsThatFit(
        items.map((item) => Buffer.byteLength(JSON.stringify(item))),
        limit,
      ),
    )
    const last = page.at(-1)
    const nextCursor =
      found.length > page.length && last !== undefined ? writeCursor('name', { value: null, id: last.name }) : null
    return { status: 200, body: { data: page, nextCursor } }
  },

  async getSkill({ path }, call) {
    const skill = catalogueOf(call.surroundings.contract).find(path.skillName)
    permitSkill(call, skill)
    return { status: 200, body: toPublished(skill) }
  },

  async getToolDefinitions({ query }, call) {
    return { status: 200, body: toolDefinitions(call, query) }
  },

  async getFunctionDefinitions({ query }, call) {
    return { status: 200, body: functionDefinitions(call, query) }
  },
} satisfies Partial<Handlers>

/** Returns the skills that models are offered, in their formats, from the contract alone. */
export function toolDefinitions(call: Reader, wanted: Wanted): { tools: ToolDefinition[] } {
  return { tools: chosen(call, offered(call), wanted).map(toTool) }
}

export function functionDefinitions(call: Reader, wanted: Wanted): { tools: FunctionDefinition[] } {
  return { tools: chosen(call, offered(call), wanted).map(toFunction) }
}

function usable(call: Reader): Skill[] {
  return catalogueOf(call.surroundings.contract).skills.filter((skill) => mayUse(call, skill))
}

/** Returns the skills that the caller's models are offered. */
function offered(call: Reader): Skill[] {
  return usable(call).filter(({ isTool }) => isTool)
}

function matches({ name, summary, description }: Skill, words: readonly string[]): boolean {
  const text = `${name} ${summary} ${description}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

/** Returns a skill as the catalog shows it. */
export function toPublished(skill: Skill): PublishedSkill {
  const { name, kind, summary, description, permissions, effect, tags, inputSchema, outputSchema } = skill
  const { writes, destructive, idempotent } = EFFECTS[effect]
  return {
    ...{ name, kind, summary, description, permissions: [...permissions] },
    ...{ writes, destructive, idempotent, tags: [...tags], inputSchema, outputSchema },
  }
}

function toListed(skill: Skill): ListedSkill {
  return { ...toPublished(skill), inputSchema: null, outputSchema: null }
}
