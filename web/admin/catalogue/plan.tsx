import { useState } from 'react'
import { Link, useParams } from 'react-router'
import type { Plan } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { useChangePreview } from '../../api/use-skill.ts'
import { Button } from '../../ui/button.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Icon } from '../../ui/icon.tsx'
import { MoveDialog } from '../../ui/move-dialog.tsx'
import { formatQuantity } from '../../ui/number-formats.ts'
import { Page } from '../../ui/page.tsx'
import { RecordNames } from '../../ui/record-names.tsx'
import { LoadError, SkeletonLines } from '../../ui/states.tsx'
import { TitleBlock } from '../../ui/title-block.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { RecordActions } from '../actions/record-actions.tsx'
import { RecordFiles } from '../files/record-files.tsx'
import { PlanDrawings } from './plan-drawings.tsx'
import { PlanElevations } from './plan-elevations.tsx'
import { PlanFigures } from './plan-figures.tsx'
import { PlanDialog } from './plan-form.tsx'
import { PlanRevisions } from './plan-revisions.tsx'
import { TakeoffPanel } from './takeoff-panel.tsx'

/** Shows one plan with its elevations, figures, revisions, and takeoff, and lets the user change and release it. */
export function Component() {
  const { planId = '' } = useParams()
  const can = useCan()
  const [open, setOpen] = useState<'form' | 'released' | 'retired' | null>(null)
  const plan = plumbline.useQuery('get', '/api/ext/plans/{planId}', { params: { path: { planId } } })
  const { data } = plan
  const name = data?.name ?? 'Plan'
  const canEdit = data !== undefined && data.archivedAt === null && data.status !== 'retired' && can('options:write')
  const close = () => setOpen(null)
  return (
    <Page
      title={name}
      crumbs={[{ name: 'Catalog', to: '/catalogue' }, { name }]}
      actions={
        <>
          {canEdit && (
            <>
              <Button onClick={() => setOpen('form')}>Edit</Button>
              {data.status === 'draft' ? (
                <Button look="primary" onClick={() => setOpen('released')}>
                  Release revision {data.revision}
                </Button>
              ) : (
                <Button look="danger" onClick={() => setOpen('retired')}>
                  Retire
                </Button>
              )}
            </>
          )}
          <RecordActions field="planId" id={planId} except={['updatePlan', 'changePlanStatus']} />
        </>
      }
    >
      {plan.error !== null ? (
        <LoadError what="The plan" error={plan.error} onRetry={() => void plan.refetch()} />
      ) : data === undefined ? (
        <SkeletonLines lines={6} />
      ) : (
        <>
          <PlanHead plan={data} />
          {data.status === 'draft' && data.archivedAt === null && (
            <div className="banner">
              <Icon name="info" />
              <span>
                {data.releasedRevision === null
                  ? 'This plan is a draft. Release it to build homes from it.'
                  : `Revision ${data.revision} is a draft. New homes use revision ${data.releasedRevision} until you release the draft.`}
              </span>
            </div>
          )}
          <PlanElevations plan={data} canEdit={canEdit} />
          <PlanFigures plan={data} canEdit={canEdit} />
          <PlanRevisions plan={data} />
          {can('documents:read') && <PlanDrawings planId={planId} />}
          {can('parts:read') && <PlanTakeoff plan={data} />}
          <RecordFiles
            recordId={planId}
            name={name}
            needs="options:write"
            empty="No files yet. Add specifications, brochures, and other documents of the plan."
          />
          {open === 'form' && <PlanDialog plan={data} onClose={close} />}
          {(open === 'released' || open === 'retired') && <PlanMove plan={data} to={open} onClose={close} />}
        </>
      )}
    </Page>
  )
}

/** Releases the draft of a plan, or retires the plan. */
function PlanMove({ plan, to, onClose }: { plan: Plan; to: 'released' | 'retired'; onClose(): void }) {
  const trial = useChangePreview('changePlanStatus', { planId: plan.id, status: to })
  const change = plumbline.useMutation('post', '/api/ext/plans/{planId}/status', {
    onSuccess: ({ name, revision }) => {
      showToast(to === 'released' ? `Revision ${revision} of ${name} released` : `${name} retired`)
      onClose()
    },
  })
  const isRelease = to === 'released'
  return (
    <MoveDialog
      title={isRelease ? `Release revision ${plan.revision} of ${plan.name}?` : `Retire ${plan.name}?`}
      effect={
        isRelease
          ? 'New homes will be built from this revision, which can no longer be changed. Existing homes keep their revision.'
          : 'No new homes can be built from this plan, and it can no longer be changed. Existing homes will not change. You cannot undo this.'
      }
      word={isRelease ? 'Release' : 'Retire'}
      isDanger={!isRelease}
      reason="optional"
      error={change.error}
      isPending={change.isPending}
      {...{ trial, onClose }}
      onConfirm={(reason) =>
        change.mutate({
          params: { path: { planId: plan.id } },
          body: { status: to, ...(reason !== undefined && { reason }) },
        })
      }
    />
  )
}

function PlanHead({ plan }: { plan: Plan }) {
  const { money } = useFormats()
  const said = (value: number | null) => (value === null ? 'not specified' : formatQuantity(value))
  return (
    <TitleBlock
      name={plan.name}
      sub={`${plan.code}, revision ${plan.revision}, ${humanizeName(plan.archivedAt === null ? plan.status : 'archived').toLowerCase()}`}
      facts={[
        { label: 'Base price', isFigure: true, value: plan.basePrice === null ? 'none' : money(plan.basePrice) },
        { label: 'Square feet', isFigure: true, value: said(plan.squareFeet) },
        { label: 'Bedrooms', value: said(plan.bedrooms) },
        { label: 'Bathrooms', value: said(plan.bathrooms) },
        { label: 'Garage spaces', value: said(plan.garageSpaces) },
        { label: 'Stories', value: said(plan.stories) },
        {
          label: 'Revision for new homes',
          value: plan.releasedRevision === null ? 'not released' : `revision ${plan.releasedRevision}`,
        },
        { label: 'Offered in', value: <RecordNames of="community" ids={plan.communityIds} none="all communities" /> },
      ]}
    />
  )
}

function PlanTakeoff({ plan }: { plan: Plan }) {
  const can = useCan()
  const { data, error } = plumbline.useQuery('get', '/api/ext/plans/{planId}/takeoff', {
    params: { path: { planId: plan.id } },
  })
  return (
    <TakeoffPanel
      lines={data?.lines}
      error={error}
      empty="No takeoff yet. Add a takeoff to estimate budgets from this plan."
      actions={
        can('parts:write') &&
        plan.status !== 'retired' &&
        plan.archivedAt === null && (
          <Link className="btn small" to={`/catalogue/plans/${plan.id}/takeoff`}>
            Edit takeoff
          </Link>
        )
      }
    />
  )
}
