import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import type { Call } from '../../platform/calls/call.ts'
import { decodeCursor, encodeCursor } from '../../platform/calls/page.ts'
import { validationFailed } from '../../platform/problems/problem.ts'
import { chooseSkills } from '../skills/choose-skills.ts'
import { canUseSkill, getSkillCatalog, type Skill } from '../skills/skill-catalog.ts'
import { EFFECTS } from '../skills/skill-effect.ts'
import type { ObjectSchema } from '../skills/skill-schemas.ts'
import { describeSkillForModels } from '../skills/tool-definitions.ts'
import { META_TOOLS, runMetaTool } from './meta-tools.ts'
import { describeUntrustedText, runSkill, runTool, type ToolRun } from './run-tool.ts'

/**
 * The tools that clients get at one URL. At `/mcp`, four tools give access to every skill, because the definitions of
 * all skills would be too long for a model. `?tools=vendors,bids` offers the skills of these tags as separate tools,
 * and `?tools=all` offers all skills.
 */
export interface Toolset {
  /** Instructions for using the tools. This text becomes part of the server's instructions. */
  readonly usage: string
  list(cursor: string | undefined): { tools: Tool[]; nextCursor?: string }
  /** Runs a tool; returns null if this URL does not offer it. */
  run(name: string, input: unknown, running: ToolRun): Promise<CallToolResult | null>
}

/** The number of tools on a page. With schemas, such a page is about 100 kB long. */
const TOOLS_PER_PAGE = 50

export function selectToolset(call: Call, requested: unknown): Toolset {
  if (requested === undefined) return metaTools
  const tag = [requested].flat().flatMap((each) => String(each).split(','))
  const { skills } = getSkillCatalog(call.services.contract)
  const offered = skills.filter((skill) => skill.isTool && canUseSkill(call, skill))
  const own = tag.includes('all') ? offered : chooseSkills(call, offered, { tag })
  return {
    usage: 'Before you call a tool that changes data, call it with dryRun=true and show the user the result.',
    list(cursor) {
      const after = cursor === undefined ? '' : decodeCursor('name', cursor).id
      const rest = own.filter(({ name }) => name > after)
      const page = rest.slice(0, TOOLS_PER_PAGE)
      const last = page.at(-1)
      const isMore = rest.length > page.length && last !== undefined
      return {
        tools: page.map(toTool),
        ...(isMore && { nextCursor: encodeCursor('name', { value: null, id: last.name }) }),
      }
    },
    async run(name, input, running) {
      const skill = own.find((each) => each.name === name)
      if (skill === undefined) return null
      const { dryRun = false, detail = 'summary', ...given } = (input ?? {}) as Record<string, unknown>
      if (detail !== 'summary' && detail !== 'full') {
        const fault = { pointer: '/detail', code: 'enum', message: 'must be one of summary, full' }
        return runTool(running, () => Promise.reject(validationFailed([fault])))
      }
      const hasDryRun = Object.hasOwn((input ?? {}) as object, 'dryRun')
      // A skill that only reads has no `dryRun` input, so `dryRun` is rejected like any other unknown field.
      if (!skill.writes) return run({ input: hasDryRun ? { ...given, dryRun } : given, dryRun: false })
      if (typeof dryRun === 'boolean') return run({ input: given, dryRun })
      const fault = { pointer: '/dryRun', code: 'type', message: 'must be a boolean' }
      return runTool(running, () => Promise.reject(validationFailed([fault])))

      function run(asked: { input: unknown; dryRun: boolean }): Promise<CallToolResult> {
        return runSkill(
          call,
          { skill: name, ...asked, detail: detail as 'summary' | 'full' },
          running,
          ({ result, untrustedText }) => ({
            text: result ?? 'Done.',
            notes: [...(asked.dryRun ? ['Dry run: nothing was saved.'] : []), ...describeUntrustedText(untrustedText)],
          }),
        )
      }
    },
  }
}

const metaTools: Toolset = {
  usage:
    'Search for a skill, call describe_skill unless its inputs are clear, and then run the skill. Before you run a skill that changes data, run it with dryRun=true and show the user the result. Results are summaries. To get more data, set fields or detail=full.',
  list: () => ({ tools: [...META_TOOLS] }),
  run: (name, input, running) => runMetaTool(name, input, running),
}

/** Caches the definition of each tool. A skill never changes, and its definition is several kilobytes long. */
const tools = new WeakMap<Skill, Tool>()

function toTool(skill: Skill): Tool {
  let tool = tools.get(skill)
  if (tool === undefined) {
    const { writes, destructive, idempotent } = EFFECTS[skill.effect]
    tool = {
      name: skill.name,
      title: skill.summary,
      description: describeSkillForModels(skill),
      inputSchema: addRunParameters(skill) as Tool['inputSchema'],
      annotations: {
        ...{ title: skill.summary, readOnlyHint: !writes, destructiveHint: destructive },
        ...{ idempotentHint: idempotent, openWorldHint: false },
      },
    }
    tools.set(skill, tool)
  }
  return tool
}

function addRunParameters({ inputSchema, writes }: Skill): ObjectSchema {
  return {
    ...inputSchema,
    properties: { ...inputSchema.properties, ...(writes && { dryRun: DRY_RUN }), detail: DETAIL },
  }
}

const DETAIL = {
  type: 'string',
  enum: ['summary', 'full'],
  default: 'summary',
  description: 'A summary omits empty fields and shortens long lists.',
}

const DRY_RUN = {
  type: 'boolean',
  default: false,
  description: 'Whether to return the result without saving anything.',
}
