import { Link } from 'react-router'
import type { Elevation, Plan } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan, useSession } from '../../api/session.ts'
import { readNumberField, readTextField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { FigureRows, readFigures, useFigureRows } from './figure-rows.tsx'
import { NextRevisionNote } from './next-revision-note.tsx'

/** Adds an elevation to a plan, or changes it. */
export function ElevationDialog(props: { plan: Plan; elevation: Elevation | null; onClose(): void }) {
  const { plan, elevation, onClose } = props
  const { currency } = useSession().organization
  const { rows, setRows, entries } = useFigureRows(elevation?.figures ?? [])
  const found = plan.elevations.findIndex(({ code }) => code === elevation?.code)
  const at = found < 0 ? plan.elevations.length : found
  const change = plumbline.useMutation('patch', '/api/ext/plans/{planId}', {
    onSuccess: () => {
      showToast(elevation === null ? 'Elevation added' : `Elevation ${elevation.code} changed`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={elevation === null ? 'Add elevation' : `Edit elevation ${elevation.code}`}
      note={plan.name}
      word={elevation === null ? 'Add elevation' : 'Save elevation'}
      of={plan}
      {...{ change, onClose, entries }}
      onSubmit={(form, ifMatch) => {
        const entered = {
          code: readTextField(form, 'code') ?? '',
          name: readTextField(form, 'name') ?? null,
          price: readNumberField(form, 'price') ?? 0,
          figures: readFigures(form, rows),
        }
        change.mutate({
          params: { path: { planId: plan.id }, header: ifMatch },
          body: { elevations: plan.elevations.toSpliced(at, 1, entered) },
        })
      }}
    >
      <NextRevisionNote plan={plan} fields="an elevation" />
      <div className="form-row">
        <TextField
          name="code"
          label="Code"
          autoFocus
          placeholder="A"
          pointer={`/elevations/${at}/code`}
          defaultValue={elevation?.code ?? ''}
          {...(elevation !== null && { hint: 'Cannot change while the takeoff has lines for the elevation.' })}
        />
        <TextField
          name="name"
          label="Name"
          optional
          placeholder="Farmhouse"
          pointer={`/elevations/${at}/name`}
          defaultValue={elevation?.name ?? ''}
        />
      </div>
      <TextField
        name="price"
        label={`Price in addition to the base price, ${currency}`}
        optional
        pointer={`/elevations/${at}/price`}
        defaultValue={elevation?.price ?? ''}
      />
      <h3>Figures that differ from the plan</h3>
      <FigureRows
        rows={rows}
        pointer={`/elevations/${at}/figures`}
        empty="This elevation uses the figures of the plan."
        onChange={setRows}
      />
    </FormDialog>
  )
}

/** Removes an elevation from a plan. If the takeoff has lines for the elevation, links to the takeoff instead. */
export function RemoveElevationDialog(props: { plan: Plan; elevation: Elevation; onClose(): void }) {
  const { plan, elevation, onClose } = props
  const canSeeTakeoff = useCan()('parts:read')
  const takeoff = plumbline.useQuery(
    'get',
    '/api/ext/plans/{planId}/takeoff',
    { params: { path: { planId: plan.id } } },
    { enabled: canSeeTakeoff },
  )
  const lineCount = takeoff.data?.lines.filter((line) => line.elevation === elevation.code).length ?? 0
  const change = plumbline.useMutation('patch', '/api/ext/plans/{planId}', {
    onSuccess: () => {
      showToast(`Elevation ${elevation.code} removed`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Remove elevation ${elevation.code}?`}
      note={plan.name}
      size="narrow"
      word="Remove elevation"
      isDanger
      isDisabled={lineCount > 0}
      of={plan}
      {...{ change, onClose }}
      onSubmit={(_, ifMatch) =>
        change.mutate({
          params: { path: { planId: plan.id }, header: ifMatch },
          body: { elevations: plan.elevations.filter(({ code }) => code !== elevation.code) },
        })
      }
    >
      {lineCount > 0 ? (
        <p>
          The takeoff has {formatCount(lineCount, 'line')} for this elevation. Delete{' '}
          {lineCount === 1 ? 'the line or change its elevation' : 'the lines or change their elevation'} in the{' '}
          <Link to={`/catalogue/plans/${plan.id}/takeoff`}>takeoff</Link> first.
        </p>
      ) : (
        <>
          <NextRevisionNote plan={plan} fields="an elevation" />
          <p>New homes cannot have this elevation. Existing homes keep it.</p>
        </>
      )}
    </FormDialog>
  )
}
