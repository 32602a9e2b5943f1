import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query'
import type { Problem } from '../../client/contract.gen.ts'
import type { ExecutionOf, SkillInput, SkillName } from '../../client/skills.ts'
import { plumbline } from './plumbline.ts'
import { useCan } from './session.ts'

/**
 * Runs a skill as a dry run and returns its result and events. Repeats the dry run each time it is shown, because a
 * result is valid only at that moment. Keeps the previous result until the next one arrives.
 */
export function useDryRun<Name extends SkillName>(
  skill: Name,
  input: SkillInput<Name>,
  options: { enabled?: boolean } = {},
): UseQueryResult<ExecutionOf<Name>, Problem> {
  const run = plumbline.useQuery(
    'post',
    '/api/ext/execute',
    { body: { skill, input: input as Record<string, unknown>, dryRun: true } },
    { staleTime: 0, gcTime: 0, placeholderData: (before: unknown) => before as never, ...options },
  )
  return run as unknown as UseQueryResult<ExecutionOf<Name>, Problem>
}

/**
 * Runs a skill as a dry run to show what a change does before the user makes it. Returns null if the user's role does
 * not allow dry runs.
 */
export function useChangePreview<Name extends SkillName>(
  skill: Name,
  input: SkillInput<Name>,
  { isNeeded = true }: { isNeeded?: boolean } = {},
): UseQueryResult<ExecutionOf<Name>, Problem> | null {
  const isAllowed = useCan()('skills:write')
  const trial = useDryRun(skill, input, { enabled: isAllowed && isNeeded })
  return isAllowed ? trial : null
}

/** Runs a skill that changes nothing and returns its result, such as a suggestion. */
export function useReadSkill<Name extends SkillName>(
  skill: Name,
  input: SkillInput<Name>,
  options: { enabled?: boolean } = {},
): UseQueryResult<ExecutionOf<Name>, Problem> {
  const body = { skill, input: input as Record<string, unknown>, dryRun: false }
  const run = plumbline.useQuery('post', '/api/ext/execute', { body }, options)
  return run as unknown as UseQueryResult<ExecutionOf<Name>, Problem>
}

/** Runs a skill that changes data. */
export function useSkill<Name extends SkillName>(
  skill: Name,
  options: { onSuccess?(execution: ExecutionOf<Name>): void } = {},
): Pick<UseMutationResult<unknown, Problem>, 'isPending' | 'error' | 'reset'> & { run(input: SkillInput<Name>): void } {
  const { mutate, isPending, error, reset } = plumbline.useMutation('post', '/api/ext/execute', {
    onSuccess: (execution) => options.onSuccess?.(execution as unknown as ExecutionOf<Name>),
  })
  return {
    ...{ isPending, error, reset },
    run: (input) => mutate({ body: { skill, input: input as Record<string, unknown>, dryRun: false } }),
  }
}
