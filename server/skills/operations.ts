import type { Skill as PublishedSkill } from '../../client/contract.gen.ts'
import type { Call } from '../http/call.ts'
import type { Handlers } from '../http/operation.ts'
import { itemsThatFit, readCursor, writeCursor } from '../http/page.ts'
import { catalogueOf, mayUse, permitSkill, type Skill } from './catalogue.ts'
import { execute } from './execute.ts'
import { toFunction, toTool } from './tools.ts'

export const skillOperations = {
  async executeSkill({ body }, call) {
    return { status: 200, body: await execute(call, body) }
  },

  async listSkills({ query }, call) {
    const { limit, cursor, kind, q = '' } = query
    const words = q.toLowerCase().split(/\s+/).filter(Boolean)
    const after = cursor === undefined ? '' : readCursor('name', cursor).id
    const found = usable(call).filter(
      (skill) => skill.name > after && (kind === undefined || skill.kind === kind) && matches(skill, words),
    )
    const items = found.slice(0, limit).map(toPublished)
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

  async getToolDefinitions(_input, call) {
    return { status: 200, body: { tools: usable(call).map(toTool) } }
  },

  async getFunctionDefinitions(_input, call) {
    return { status: 200, body: { tools: usable(call).map(toFunction) } }
  },
} satisfies Partial<Handlers>

function usable(call: Call): Skill[] {
  return catalogueOf(call.surroundings.contract).skills.filter((skill) => mayUse(call, skill))
}

function matches({ name, summary, description }: Skill, words: readonly string[]): boolean {
  const text = `${name} ${summary} ${description}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

function toPublished(skill: Skill): PublishedSkill {
  const { name, kind, summary, description, permissions, writes, inputSchema, outputSchema } = skill
  return { name, kind, summary, description, permissions: [...permissions], writes, inputSchema, outputSchema }
}
