import { useMemo, useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import type { Plan, Takeoff } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, LoadError, SkeletonLines } from '../../ui/states.tsx'
import { showToast } from '../../ui/toast.tsx'
import { TakeoffEditor } from './takeoff-editor.tsx'
import { type TakeoffReferences, useTakeoffReferences } from './takeoff-references.ts'
import { toTakeoffLine } from './takeoff-rows.ts'

/** The page that edits the takeoff of a plan. */
export function Component() {
  const { planId = '' } = useParams()
  const at = { params: { path: { planId } } }
  const plan = plumbline.useQuery('get', '/api/ext/plans/{planId}', at)
  const takeoff = plumbline.useQuery('get', '/api/ext/plans/{planId}/takeoff', at)
  const references = useTakeoffReferences(planId, takeoff.data)
  const name = plan.data?.name ?? 'Plan'
  const error = plan.error ?? takeoff.error ?? references.error
  return (
    <Page
      title={`Takeoff of ${name}`}
      crumbs={[{ name: 'Catalog', to: '/catalogue' }, { name, to: `/catalogue/plans/${planId}` }, { name: 'Takeoff' }]}
    >
      <div className="page-head">
        <h1>Takeoff of {name}</h1>
        <p>The parts that every home of this plan needs. The changes are saved together.</p>
      </div>
      {error !== null ? (
        <LoadError
          what="The takeoff"
          error={error}
          onRetry={() => void Promise.all([plan.refetch(), takeoff.refetch(), references.refetch()])}
        />
      ) : plan.data === undefined || takeoff.data === undefined || references.data === undefined ? (
        <SkeletonLines lines={8} />
      ) : plan.data.status === 'retired' || plan.data.archivedAt !== null ? (
        <EmptyState icon="lock" title="This takeoff cannot be edited">
          The plan is {plan.data.archivedAt === null ? 'retired' : 'archived'}.
        </EmptyState>
      ) : (
        <PlanTakeoffEditor key={planId} plan={plan.data} takeoff={takeoff.data} references={references.data} />
      )}
    </Page>
  )
}

function PlanTakeoffEditor(props: { plan: Plan; takeoff: Takeoff; references: TakeoffReferences }) {
  const { plan, takeoff, references } = props
  const navigate = useNavigate()
  const plans = useMemo(() => [plan], [plan])
  const [revisionBefore] = useState(plan.revision)
  const save = plumbline.useMutation('put', '/api/ext/plans/{planId}/takeoff', {
    onSuccess: ({ revision }) => {
      showToast(
        // The plan may already have been read again, with its new revision.
        revision === revisionBefore
          ? `Takeoff of ${plan.name} saved`
          : `Takeoff saved as a draft of revision ${revision}`,
      )
      void navigate(`/catalogue/plans/${plan.id}`)
    },
  })
  return (
    <TakeoffEditor
      {...{ takeoff, plans, references }}
      ownPlan={plan}
      change={save}
      onSave={(rows, context, ifMatch) =>
        save.mutate({
          params: { path: { planId: plan.id }, header: ifMatch },
          body: { lines: rows.map((row) => toTakeoffLine(row, context)) },
        })
      }
    >
      {plan.status === 'released' && (
        <div className="banner">
          <Icon name="info" />
          <span>
            Revision {plan.revision} is released and never changes. Saving creates a draft of revision{' '}
            {plan.revision + 1}. Homes keep their revision.
          </span>
        </div>
      )}
    </TakeoffEditor>
  )
}
