import { useState } from 'react'
import type { Plan, PlanRevision } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { ActorName } from '../../ui/actor-name.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { formatQuantity } from '../../ui/number-formats.ts'
import { KeyValues, Panel } from '../../ui/panel.tsx'
import { LoadError } from '../../ui/states.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { FigureList } from './figure-rows.tsx'
import { listElevationColumns } from './plan-elevations.tsx'
import { TakeoffPanel } from './takeoff-panel.tsx'

/** The number of revisions on the page. The API also returns the others. */
const MAX_REVISIONS = 50

const COMPARED = [
  ['basePrice', 'base price'],
  ['squareFeet', 'square feet'],
  ['bedrooms', 'bedrooms'],
  ['bathrooms', 'bathrooms'],
  ['garageSpaces', 'garage spaces'],
  ['stories', 'stories'],
  ['figures', 'figures'],
  ['elevations', 'elevations'],
] as const

/** Lists the released revisions of a plan, each with its difference from the previous revision. */
export function PlanRevisions({ plan }: { plan: Plan }) {
  const { day, money } = useFormats()
  const [shown, setShown] = useState<PlanRevision | null>(null)
  const revisions = plumbline.useQuery('get', '/api/ext/plans/{planId}/revisions', {
    params: { path: { planId: plan.id }, query: { limit: MAX_REVISIONS } },
  })
  const rows = revisions.data?.data
  const columns: readonly Column<PlanRevision>[] = [
    {
      head: 'Revision',
      cell: ({ revision }) => (
        <>
          <span className="lead">Revision {revision}</span>
          {revision === plan.releasedRevision && plan.status !== 'retired' && (
            <span className="sub">used for new homes</span>
          )}
        </>
      ),
    },
    {
      head: 'Released',
      cell: ({ createdAt, createdBy }) => (
        <>
          {day(createdAt)}{' '}
          <span className="sub">
            by <ActorName of={createdBy} />
          </span>
        </>
      ),
    },
    {
      head: 'Changes',
      isWideOnly: true,
      cell: (revision) =>
        describeChanges(
          revision,
          rows?.find((one) => one.revision === revision.revision - 1),
        ),
    },
    {
      head: 'Base price',
      numeric: true,
      cell: ({ basePrice }) => (basePrice === null ? <EmptyCell word="no price" /> : money(basePrice)),
    },
    {
      head: 'Details',
      cell: (revision) => (
        <Button small look="quiet" onClick={() => setShown(revision)}>
          Show<span className="sr"> revision {revision.revision}</span>
        </Button>
      ),
    },
  ]
  return (
    <Panel title="Released revisions" isFlush={rows?.length !== 0}>
      {revisions.error !== null ? (
        <LoadError what="The revisions" error={revisions.error} onRetry={() => void revisions.refetch()} />
      ) : rows?.length === 0 ? (
        <p className="muted">No released revisions yet. Release the plan to build homes from it.</p>
      ) : (
        <div className="table-wrap">
          <Table caption="Released revisions" columns={columns} rows={rows} keyOf={({ id }) => id} expected={2} />
        </div>
      )}
      {shown !== null && (
        <RevisionDialog
          revision={shown}
          previous={rows?.find(({ revision }) => revision === shown.revision - 1)}
          name={plan.name}
          onClose={() => setShown(null)}
        />
      )}
    </Panel>
  )
}

function describeChanges(revision: PlanRevision, previous: PlanRevision | undefined) {
  if (previous === undefined) return <EmptyCell word={revision.revision === 1 ? 'first revision' : 'not loaded'} />
  const changed = COMPARED.filter(([field]) => JSON.stringify(revision[field]) !== JSON.stringify(previous[field]))
  return changed.length === 0 ? 'takeoff' : changed.map(([, word]) => word).join(', ')
}

/** Shows everything that a released revision contains: its figures, its elevations, and its takeoff. */
function RevisionDialog(props: {
  revision: PlanRevision
  previous: PlanRevision | undefined
  name: string
  onClose(): void
}) {
  const { revision, previous, name, onClose } = props
  const can = useCan()
  const { day, money, difference } = useFormats()
  const amount = (value: number | null) => (value === null ? <EmptyCell word="not specified" /> : formatQuantity(value))
  return (
    <Dialog
      open
      onClose={onClose}
      size="wide"
      title={`Revision ${revision.revision}`}
      note={`${name}, released on ${day(revision.createdAt)}`}
      tail={
        <>
          <span className="note" />
          <Button onClick={onClose}>Close</Button>
        </>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
      <section className="stack" tabIndex={0} aria-label={`Content of revision ${revision.revision}`}>
        <KeyValues
          facts={[
            ['Changes', describeChanges(revision, previous)],
            [
              'Base price',
              revision.basePrice === null ? <EmptyCell key="price" word="no price" /> : money(revision.basePrice),
            ],
            ['Square feet', amount(revision.squareFeet)],
            ['Bedrooms', amount(revision.bedrooms)],
            ['Bathrooms', amount(revision.bathrooms)],
            ['Garage spaces', amount(revision.garageSpaces)],
            ['Stories', amount(revision.stories)],
          ]}
        />
        {revision.figures.length > 0 && (
          <Panel title="Figures for formulas">
            <FigureList figures={revision.figures} />
          </Panel>
        )}
        {revision.elevations.length > 0 && (
          <Panel title="Elevations" isFlush>
            <div className="table-wrap">
              <Table
                caption={`Elevations of revision ${revision.revision}`}
                columns={listElevationColumns(difference)}
                rows={revision.elevations}
                keyOf={({ code }) => code}
              />
            </div>
          </Panel>
        )}
        {can('parts:read') && <RevisionTakeoff planId={revision.planId} revision={revision.revision} />}
      </section>
    </Dialog>
  )
}

function RevisionTakeoff({ planId, revision }: { planId: string; revision: number }) {
  const { data, error } = plumbline.useQuery('get', '/api/ext/plans/{planId}/takeoff', {
    params: { path: { planId }, query: { revision } },
  })
  return <TakeoffPanel lines={data?.lines} error={error} empty="This revision has no takeoff." />
}
