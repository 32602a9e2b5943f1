import type { BatchExecution, Execution } from '../../../client/contract.gen.ts'
import type { Checked } from '../../platform/calls/checked.gen.ts'
import type { OperationId } from '../../platform/calls/contract.ts'
import type { RepeatRules, RepeatRulesByOperation } from '../../platform/calls/repeated-response.ts'
import { assertSkillPermitted, getSkillCatalog } from './skill-catalog.ts'

/**
 * Creates the rules for repeated requests to run a skill. The rules of the skill apply. The response is returned only
 * to callers that may still run the skill, and without the values that the skill hides. The response to a dry run
 * contains no secret, so a repeat must not add one. The record's current secret would be a different one.
 */
export function createExecutionRepeatRules(repeats: RepeatRulesByOperation): RepeatRules {
  const ofSkill = ({ skill, dryRun }: Partial<Pick<Execution, 'dryRun'>> & Pick<Execution, 'skill'>) =>
    dryRun !== true && Object.hasOwn(repeats, skill) ? repeats[skill as OperationId] : undefined
  return {
    permit(body, call) {
      const { skill } = body as Checked['ExecuteRequest']
      assertSkillPermitted(call, getSkillCatalog(call.services.contract).find(skill))
    },

    conceal(body) {
      const execution = body as Execution
      const repeat = ofSkill(execution)
      if (repeat === undefined || typeof execution.result !== 'object' || execution.result === null) return body
      return { ...execution, result: repeat.conceal(execution.result) }
    },

    async reveal(body, call) {
      const execution = body as Execution
      const repeat = ofSkill(execution)
      if (repeat === undefined || typeof execution.result !== 'object' || execution.result === null) return body
      const result = await repeat.reveal(execution.result, call)
      return result === null ? null : { ...execution, result }
    },
  }
}

/** Creates the rules for batches, which apply the given rules to each step. */
export function createBatchRepeatRules(step: RepeatRules): RepeatRules {
  const eachOf = (body: object) => (body as BatchExecution).steps
  return {
    permit(body, call) {
      for (const { skill } of (body as Checked['ExecuteBatch']).steps) step.permit?.({ skill }, call)
    },

    conceal(body) {
      if ((body as BatchExecution).dryRun) return body
      return { ...body, steps: eachOf(body).map((each) => step.conceal(each)) }
    },

    async reveal(body, call) {
      if ((body as BatchExecution).dryRun) return body
      const steps: object[] = []
      for (const each of eachOf(body)) {
        const shown = await step.reveal(each, call)
        if (shown === null) return null
        steps.push(shown)
      }
      return { ...body, steps }
    },
  }
}
