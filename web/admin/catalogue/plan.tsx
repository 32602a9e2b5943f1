import { useParams } from 'react-router'
import type { Elevation, Plan } from '../../../client/contract.gen.ts'
import { useMay } from '../../api/caller.ts'
import { plumbline } from '../../api/plumbline.ts'
import { inWords } from '../../ui/badge.tsx'
import { quantity } from '../../ui/figures.ts'
import { useFormats } from '../../ui/organization.ts'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Failed, SkeletonLines } from '../../ui/states.tsx'
import { type Column, None, Table } from '../../ui/table.tsx'
import { TitleBlock } from '../../ui/title-block.tsx'
import { TakeoffPanel } from './takeoff.tsx'

/** Shows one plan: its key figures, its elevations and its takeoff. */
export function Component() {
  const { planId = '' } = useParams()
  const may = useMay()
  const plan = plumbline.useQuery('get', '/api/ext/plans/{planId}', { params: { path: { planId } } })
  const name = plan.data?.name ?? 'Plan'
  return (
    <Page title={name} crumbs={[{ name: 'Catalog', to: '/catalogue' }, { name }]}>
      {plan.error !== null ? (
        <Failed what="The plan" error={plan.error} onRetry={() => void plan.refetch()} />
      ) : plan.data === undefined ? (
        <SkeletonLines lines={6} />
      ) : (
        <>
          <Head plan={plan.data} />
          <Elevations rows={plan.data.elevations} />
          {may('parts:read') && <Takeoff planId={planId} />}
        </>
      )}
    </Page>
  )
}

function Head({ plan }: { plan: Plan }) {
  const { money } = useFormats()
  const said = (value: number | null) => (value === null ? 'not said' : quantity(value))
  return (
    <TitleBlock
      name={plan.name}
      sub={`${plan.code}, revision ${plan.revision}, ${inWords(plan.status).toLowerCase()}`}
      facts={[
        { label: 'Base price', isFigure: true, value: plan.basePrice === null ? 'none' : money(plan.basePrice) },
        { label: 'Square feet', isFigure: true, value: said(plan.squareFeet) },
        { label: 'Bedrooms', isFigure: true, value: said(plan.bedrooms) },
        { label: 'Bathrooms', isFigure: true, value: said(plan.bathrooms) },
        { label: 'Garage', isWideOnly: true, value: said(plan.garageSpaces) },
        {
          label: 'New homes',
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
    { head: 'Name', cell: ({ name }) => name ?? <None word="no name" /> },
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

function Takeoff({ planId }: { planId: string }) {
  const { data, error } = plumbline.useQuery('get', '/api/ext/plans/{planId}/takeoff', { params: { path: { planId } } })
  return (
    <TakeoffPanel
      lines={data?.lines}
      error={error}
      empty="No takeoff yet. Add one to estimate budgets from this plan."
    />
  )
}
