import type { Call } from '../../platform/calls/call.ts'
import type { Handlers } from '../../platform/calls/operation.ts'
import { flushExecutions } from '../../platform/executions/execution-buffer.ts'
import * as executions from '../../platform/executions/queries.ts'
import { assertSkillPermitted, getSkillCatalog, listRunnableSkills } from './skill-catalog.ts'

export const executionOperations = {
  async listExecutions({ query }, call) {
    await flushBeforeReading(call)
    const shown = { ...query, runnable: listRunnableSkills(call) }
    return { status: 200, body: await executions.list(call, shown) }
  },

  async getExecution({ path }, call) {
    await flushBeforeReading(call)
    const execution = await executions.find(call, path.executionId)
    const { find } = getSkillCatalog(call.services.contract)
    for (const name of execution.skills) assertSkillPermitted(call, find(name))
    return { status: 200, body: execution }
  },
} satisfies Partial<Handlers>

// Writes pending execution records, so that a caller finds the skills that it has just run in this process. Does
// nothing inside a transaction, because no connection may be available.
async function flushBeforeReading({ services, isWriting }: Call): Promise<void> {
  if (!isWriting) await flushExecutions(services)
}
