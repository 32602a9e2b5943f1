import type { Plan } from '../../../client/contract.gen.ts'
import { Icon } from '../../ui/icon.tsx'

/** Explains that a change of a released plan starts its next revision. */
export function NextRevisionNote({ plan, fields }: { plan: Plan; fields: string }) {
  if (plan.status !== 'released') return null
  return (
    <div className="banner">
      <Icon name="info" />
      <span>
        Revision {plan.revision} is released and never changes. If you change {fields}, a draft of revision{' '}
        {plan.revision + 1} is created. Homes keep their revision.
      </span>
    </div>
  )
}
