import type { Call } from '../../platform/calls/call.ts'
import type { Handlers } from '../../platform/calls/operation.ts'
import { writeHeldExecutions } from '../../platform/executions/behind.ts'
import * as executions from '../../platform/executions/queries.ts'
import { catalogueOf, permitSkill, runnable } from './catalogue.ts'

export const executionOperations = {
  async listExecutions({ query }, call) {
    await catchUp(call)
    const shown = { ...query, runnable: runnable(call) }
    return { status: 200, body: await executions.list(call, shown) }
  },

  async getExecution({ path }, call) {
    await catchUp(call)
    const execution = await executions.find(call, path.executionId)
    const { find } = catalogueOf(call.surroundings.contract)
    for (const name of execution.skills) permitSkill(call, find(name))
    return { status: 200, body: execution }
  },
} satisfies Partial<Handlers>

// Writes pending records first, so that a caller finds what it has just run, unless another process ran it. Within a
// transaction there is no connection to write them with.
async function catchUp({ surroundings, isWriting }: Call): Promise<void> {
  if (!isWriting) await writeHeldExecutions(surroundings)
}
