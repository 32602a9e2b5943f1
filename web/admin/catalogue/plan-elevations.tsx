import { useState } from 'react'
import type { Elevation, Plan } from '../../../client/contract.gen.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { formatQuantity } from '../../ui/number-formats.ts'
import { Panel } from '../../ui/panel.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { ElevationDialog, RemoveElevationDialog } from './elevation-form.tsx'

/** The contract allows this number of elevations. */
const MAX_ELEVATIONS = 26

/** Returns the columns of a table of elevations. `difference` formats a price with its sign. */
export function listElevationColumns(difference: (amount: number) => string): readonly Column<Elevation>[] {
  return [
    {
      head: 'Elevation',
      cell: ({ code, name }) => (
        <>
          <span className="lead">{code}</span>
          {name !== null && <span className="sub">{name}</span>}
        </>
      ),
    },
    { head: 'Price difference', numeric: true, cell: ({ price }) => difference(price) },
    {
      head: 'Figures',
      className: 'full',
      cell: ({ figures }) =>
        figures.length === 0 ? (
          <EmptyCell word="as in the plan" />
        ) : (
          figures.map(({ name, value }, at) => (
            <span key={name}>
              {at > 0 && ', '}
              <code>{name}</code> {formatQuantity(value)}
            </span>
          ))
        ),
    },
  ]
}

/** Lists the elevations of a plan, with forms to add, change, and remove them. */
export function PlanElevations({ plan, canEdit }: { plan: Plan; canEdit: boolean }) {
  const { difference } = useFormats()
  const [isNew, setIsNew] = useState(false)
  const [edited, setEdited] = useState<Elevation | null>(null)
  const [removed, setRemoved] = useState<Elevation | null>(null)
  const columns: readonly Column<Elevation>[] = [
    ...listElevationColumns(difference),
    ...(canEdit
      ? [
          {
            head: 'Edit',
            cell: (elevation: Elevation) => (
              <span className="row">
                <Button small look="quiet" onClick={() => setEdited(elevation)}>
                  Edit<span className="sr"> elevation {elevation.code}</span>
                </Button>
                <IconButton
                  icon="x"
                  small
                  look="quiet"
                  label={`Remove elevation ${elevation.code}`}
                  onClick={() => setRemoved(elevation)}
                />
              </span>
            ),
          },
        ]
      : []),
  ]
  return (
    <Panel
      title="Elevations"
      isFlush={plan.elevations.length > 0}
      actions={
        canEdit &&
        plan.elevations.length < MAX_ELEVATIONS && (
          <Button small icon="plus" onClick={() => setIsNew(true)}>
            Add elevation
          </Button>
        )
      }
    >
      {plan.elevations.length === 0 ? (
        <p className="muted">No elevations yet. Without elevations, all homes of the plan look the same.</p>
      ) : (
        <div className="table-wrap">
          <Table caption="Elevations" columns={columns} rows={plan.elevations} keyOf={({ code }) => code} />
        </div>
      )}
      {isNew && <ElevationDialog plan={plan} elevation={null} onClose={() => setIsNew(false)} />}
      {edited !== null && <ElevationDialog plan={plan} elevation={edited} onClose={() => setEdited(null)} />}
      {removed !== null && <RemoveElevationDialog plan={plan} elevation={removed} onClose={() => setRemoved(null)} />}
    </Panel>
  )
}
