import { useState } from 'react'
import type { Plan } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Panel } from '../../ui/panel.tsx'
import { showToast } from '../../ui/toast.tsx'
import { FigureList, FigureRows, readFigures, useFigureRows } from './figure-rows.tsx'
import { NextRevisionNote } from './next-revision-note.tsx'

/** The fields of a plan that formulas can use. */
const PLAN_FIELDS = ['squareFeet', 'bedrooms', 'bathrooms', 'garageSpaces', 'stories'] as const

/** Lists the additional figures of a plan that formulas of takeoffs can use. */
export function PlanFigures({ plan, canEdit }: { plan: Plan; canEdit: boolean }) {
  const [isEditing, setIsEditing] = useState(false)
  return (
    <Panel
      title="Figures for formulas"
      actions={
        canEdit && (
          <Button small onClick={() => setIsEditing(true)}>
            Edit figures
          </Button>
        )
      }
    >
      {plan.figures.length === 0 ? (
        <p className="muted">
          No figures yet. Formulas can always use the area, rooms, garage spaces, and stories of the plan.
        </p>
      ) : (
        <FigureList figures={plan.figures} />
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
        Formulas use these numbers by their names. These fields of the plan are always available:{' '}
        {PLAN_FIELDS.map((name) => (
          <span key={name}>
            <code>{name}</code>{' '}
          </span>
        ))}
      </p>
      <FigureRows rows={rows} pointer="/figures" empty="No figures yet." onChange={setRows} />
    </FormDialog>
  )
}
