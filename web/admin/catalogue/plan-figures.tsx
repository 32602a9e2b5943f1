import { useState } from 'react'
import type { Figure, Plan } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatQuantity } from '../../ui/number-formats.ts'
import { Panel } from '../../ui/panel.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { showToast } from '../../ui/toast.tsx'
import { FigureRows, readFigures, useFigureRows } from './figure-rows.tsx'
import { NextRevisionNote } from './next-revision-note.tsx'

const COLUMNS: readonly Column<Figure>[] = [
  { head: 'Name', cell: ({ name }) => <code>{name}</code> },
  { head: 'Value', numeric: true, cell: ({ value }) => formatQuantity(value) },
]

/** Lists the additional figures of a plan that formulas of takeoffs can use. */
export function PlanFigures({ plan, canEdit }: { plan: Plan; canEdit: boolean }) {
  const [isEditing, setIsEditing] = useState(false)
  return (
    <Panel
      title="Figures for formulas"
      isFlush={plan.figures.length > 0}
      actions={
        canEdit && (
          <Button small onClick={() => setIsEditing(true)}>
            Edit figures
          </Button>
        )
      }
    >
      {plan.figures.length === 0 ? (
        <p className="muted">No figures yet. Formulas can always use squareFeet, bedrooms, and similar fields.</p>
      ) : (
        <div className="table-wrap">
          <Table caption="Figures for formulas" columns={COLUMNS} rows={plan.figures} keyOf={({ name }) => name} />
        </div>
      )}
      {isEditing && <FiguresDialog plan={plan} onClose={() => setIsEditing(false)} />}
    </Panel>
  )
}

function FiguresDialog({ plan, onClose }: { plan: Plan; onClose(): void }) {
  const { rows, setRows, entries } = useFigureRows(plan.figures)
  const change = plumbline.useMutation('patch', '/api/ext/plans/{planId}', {
    onSuccess: ({ name }) => {
      showToast(`Figures of ${name} changed`)
      onClose()
    },
  })
  return (
    <FormDialog
      title="Edit figures"
      note={plan.name}
      word="Save figures"
      of={plan}
      {...{ change, onClose, entries }}
      onSubmit={(form, ifMatch) =>
        change.mutate({
          params: { path: { planId: plan.id }, header: ifMatch },
          body: { figures: readFigures(form, rows) },
        })
      }
    >
      <NextRevisionNote plan={plan} fields="a figure" />
      <p className="muted">
        Formulas use these numbers by their names. The fields squareFeet, bedrooms, bathrooms, garageSpaces, and stories
        are always available.
      </p>
      <FigureRows rows={rows} pointer="/figures" empty="No figures yet." onChange={setRows} />
    </FormDialog>
  )
}
