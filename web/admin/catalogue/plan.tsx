import { Link, useParams } from 'react-router'
import type { Elevation, Plan } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { humanizeName } from '../../ui/badge.tsx'
import { formatQuantity } from '../../ui/number-formats.ts'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { LoadError, SkeletonLines } from '../../ui/states.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { TitleBlock } from '../../ui/title-block.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { RecordActions } from '../actions/record-actions.tsx'
import { RecordFiles } from '../files/record-files.tsx'
import { PlanDrawings } from './plan-drawings.tsx'
import { TakeoffPanel } from './takeoff-panel.tsx'

/** Shows one plan: its key figures, its elevations, and its takeoff. */
export function Component() {
  const { planId = '' } = useParams()
  const can = useCan()
  const plan = plumbline.useQuery('get', '/api/ext/plans/{planId}', { params: { path: { planId } } })
  const name = plan.data?.name ?? 'Plan'
  return (
    <Page
      title={name}
      crumbs={[{ name: 'Catalog', to: '/catalogue' }, { name }]}
      actions={<RecordActions field="planId" id={planId} />}
    >
      {plan.error !== null ? (
        <LoadError what="The plan" error={plan.error} onRetry={() => void plan.refetch()} />
      ) : plan.data === undefined ? (
        <SkeletonLines lines={6} />
      ) : (
        <>
          <PlanHead plan={plan.data} />
          <Elevations rows={plan.data.elevations} />
          {can('documents:read') && <PlanDrawings planId={planId} />}
          {can('parts:read') && <PlanTakeoff plan={plan.data} />}
          <RecordFiles
            recordId={planId}
            name={name}
            needs="options:write"
            empty="No files yet. Add specifications, brochures, and other documents of the plan."
          />
        </>
      )}
    </Page>
  )
}

function PlanHead({ plan }: { plan: Plan }) {
  const { money } = useFormats()
  const said = (value: number | null) => (value === null ? 'not specified' : formatQuantity(value))
  return (
    <TitleBlock
      name={plan.name}
      sub={`${plan.code}, revision ${plan.revision}, ${humanizeName(plan.status).toLowerCase()}`}
      facts={[
        { label: 'Base price', isFigure: true, value: plan.basePrice === null ? 'none' : money(plan.basePrice) },
        { label: 'Square feet', isFigure: true, value: said(plan.squareFeet) },
        { label: 'Bedrooms', isFigure: true, value: said(plan.bedrooms) },
        { label: 'Bathrooms', isFigure: true, value: said(plan.bathrooms) },
        { label: 'Garage spaces', isWideOnly: true, value: said(plan.garageSpaces) },
        {
          label: 'Revision for new homes',
          isWideOnly: true,
          value: plan.releasedRevision === null ? 'not released' : `revision ${plan.releasedRevision}`,
        },
      ]}
    />
  )
}

function Elevations({ rows }: { rows: readonly Elevation[] }) {
  const { difference } = useFormats()
  const columns: readonly Column<Elevation>[] = [
    { head: 'Elevation', cell: ({ code }) => code },
    { head: 'Name', cell: ({ name }) => name ?? <EmptyCell word="no name" /> },
    { head: 'Price difference', numeric: true, cell: ({ price }) => difference(price) },
  ]
  if (rows.length === 0) return null
  return (
    <Panel title="Elevations" isFlush>
      <div className="table-wrap">
        <Table caption="Elevations" columns={columns} rows={rows} keyOf={({ code }) => code} />
      </div>
    </Panel>
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
