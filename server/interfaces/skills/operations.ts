import type {
  FunctionDefinition,
  ListedSkill,
  Skill as PublishedSkill,
  ToolDefinition,
} from '../../../client/contract.gen.ts'
import type { ContractReader } from '../../platform/calls/call.ts'
import type { Handlers } from '../../platform/calls/operation.ts'
import { countItemsThatFit, decodeCursor, encodeCursor } from '../../platform/calls/page.ts'
import { chooseSkills, type SkillFilter } from './choose-skills.ts'
import { executeBatch } from './execute-batch.ts'
import { executeSkill } from './execute-skill.ts'
import { assertSkillPermitted, canUseSkill, getSkillCatalog, type Skill } from './skill-catalog.ts'
import { EFFECTS } from './skill-effect.ts'
import { toFunctionDefinition, toToolDefinition } from './tool-definitions.ts'

export const skillOperations = {
  async executeSkill({ body }, call) {
    return { status: 200, body: await executeSkill(call, body) }
  },

  async executeBatch({ body }, call) {
    return { status: 200, body: await executeBatch(call, body) }
  },

  async listSkills({ query }, call) {
    const { limit, cursor, kind, expand, q = '' } = query
    const words = q.toLowerCase().split(/\s+/).filter(Boolean)
    const after = cursor === undefined ? '' : decodeCursor('name', cursor).id
    const found = chooseSkills(call, listUsableSkills(call), query).filter(
      (skill) => skill.name > after && (kind === undefined || skill.kind === kind) && matchesWords(skill, words),
    )
    const items = found.slice(0, limit).map(expand === 'schemas' ? toPublishedSkill : toListedSkill)
    const page = items.slice(
      0,
      countItemsThatFit(
        items.map((item) => Buffer.byteLength(JSON.stringify(item))),
        limit,
      ),
    )
    const last = page.at(-1)
    const nextCursor =
      found.length > page.length && last !== undefined ? encodeCursor('name', { value: null, id: last.name }) : null
    return { status: 200, body: { data: page, nextCursor } }
  },

  async getSkill({ path }, call) {
    const skill = getSkillCatalog(call.services.contract).find(path.skillName)
    assertSkillPermitted(call, skill)
    return { status: 200, body: toPublishedSkill(skill) }
  },

  async getToolDefinitions({ query }, call) {
    return { status: 200, body: listToolDefinitions(call, query) }
  },

  async getFunctionDefinitions({ query }, call) {
    return { status: 200, body: listFunctionDefinitions(call, query) }
  },
} satisfies Partial<Handlers>

/** Returns the skills for models, in the formats that models use. The contract alone determines the result. */
export function listToolDefinitions(call: ContractReader, requested: SkillFilter): { tools: ToolDefinition[] } {
  return { tools: chooseSkills(call, listOfferedSkills(call), requested).map(toToolDefinition) }
}

export function listFunctionDefinitions(call: ContractReader, requested: SkillFilter): { tools: FunctionDefinition[] } {
  return { tools: chooseSkills(call, listOfferedSkills(call), requested).map(toFunctionDefinition) }
}

function listUsableSkills(call: ContractReader): Skill[] {
  return getSkillCatalog(call.services.contract).skills.filter((skill) => canUseSkill(call, skill))
}

/** Returns the skills that the caller can give to a model. */
function listOfferedSkills(call: ContractReader): Skill[] {
  return listUsableSkills(call).filter(({ isTool }) => isTool)
}

function matchesWords({ name, summary, description }: Skill, words: readonly string[]): boolean {
  const text = `${name} ${summary} ${description}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

/** Returns a skill in the form that the catalog shows. */
export function toPublishedSkill(skill: Skill): PublishedSkill {
  const { name, kind, summary, description, permissions, effect, tags, inputSchema, outputSchema } = skill
  const { writes, destructive, idempotent } = EFFECTS[effect]
  return {
    ...{ name, kind, summary, description, permissions: [...permissions] },
    ...{ writes, destructive, idempotent, tags: [...tags], inputSchema, outputSchema },
  }
}

function toListedSkill(skill: Skill): ListedSkill {
  return { ...toPublishedSkill(skill), inputSchema: null, outputSchema: null }
}
