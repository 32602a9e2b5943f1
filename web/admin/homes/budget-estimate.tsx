import { useState } from 'react'
import { Link } from 'react-router'
import type { BudgetEstimate, UnpricedLine } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { useChangePreview, useDryRun } from '../../api/use-skill.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Icon } from '../../ui/icon.tsx'
import { MoveDialog } from '../../ui/move-dialog.tsx'
import { formatQuantity } from '../../ui/number-formats.ts'
import { KeyValues } from '../../ui/panel.tsx'
import { ChangeError, SkeletonLines } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { PRICE_ISSUE_WORDS } from '../catalogue/price-issue-words.ts'

/** A user works through a few unpriced parts at a time. */
const MAX_UNPRICED_SHOWN = 60

/** Estimates the budget of a home from its plan. The dialog shows the result before the budget is changed. */
export function EstimateButton({ homeId, look }: { homeId: string; look?: 'primary' }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button small={look === undefined} {...(look !== undefined && { look })} onClick={() => setIsOpen(true)}>
        Estimate from plan
      </Button>
      {isOpen && <EstimateDialog homeId={homeId} onClose={() => setIsOpen(false)} />}
    </>
  )
}

function EstimateDialog({ homeId, onClose }: { homeId: string; onClose(): void }) {
  const canTry = useCan()('skills:write')
  const { today, money } = useFormats()
  const [date, setDate] = useState(today())
  const body = date === '' ? {} : { on: date }
  const trial = useDryRun('estimateHomeBudget', { homeId, ...body }, { enabled: canTry })
  const change = plumbline.useMutation('post', '/api/ext/homes/{homeId}/budget/estimate', {
    onSuccess: ({ total, unpriced }) => {
      showToast(
        unpriced.length === 0
          ? `Budget estimated, ${money(total)}`
          : `Budget estimated, ${money(total)}, ${formatCount(unpriced.length, 'line')} without a price`,
      )
      onClose()
    },
  })
  return (
    <FormDialog
      title="Estimate budget"
      note={canTry ? 'This is a preview. Nothing has been changed yet.' : undefined}
      size="wide"
      word="Estimate budget"
      isDisabled={canTry && (trial.isFetching || trial.error !== null)}
      {...{ change, onClose }}
      onSubmit={() => change.mutate({ params: { path: { homeId } }, body })}
    >
      <Field
        name="on"
        label="Prices on"
        hint="Replaces the lines of the previous estimate and of selections. Lines that were added manually stay."
      >
        {(control) => (
          <input
            {...control}
            className="input"
            type="date"
            value={date}
            onChange={(event) => setDate(event.target.value)}
          />
        )}
      </Field>
      {change.error === null && <ChangeError error={trial.error} />}
      {trial.data !== undefined ? (
        <EstimateEffects estimate={trial.data.result} />
      ) : (
        canTry && trial.error === null && <SkeletonLines lines={5} />
      )}
    </FormDialog>
  )
}

function EstimateEffects({ estimate }: { estimate: BudgetEstimate }) {
  const { money } = useFormats()
  const { total, priced, added, changed, removed, covered, unpriced } = estimate
  const columns: readonly Column<UnpricedLine>[] = [
    {
      head: 'Part',
      cell: ({ partId, name, sku }) => (
        <>
          <Link to={`/catalogue/parts/${partId}`}>{name}</Link>
          <span className="sub">{sku}</span>
        </>
      ),
    },
    { head: 'Trade', cell: ({ scope }) => (scope === null ? 'none' : humanizeName(scope)) },
    { head: 'Quantity', numeric: true, cell: ({ quantity, unit }) => `${formatQuantity(quantity)} ${unit}` },
    { head: 'Reason', cell: ({ issue }) => PRICE_ISSUE_WORDS[issue] },
  ]
  const shown = unpriced.slice(0, MAX_UNPRICED_SHOWN)
  return (
    <>
      <KeyValues
        facts={[
          ['Total', <b key="total">{money(total)}</b>],
          ['Lines with a price', priced.toLocaleString('en-US')],
          [
            'Budget lines',
            added + changed + removed === 0 ? 'unchanged' : `${added} new, ${changed} changed, ${removed} removed`,
          ],
          ...(covered.length === 0
            ? []
            : [
                [
                  'Lump sums of contracts',
                  covered.map(({ scope, amount }) => `${humanizeName(scope)} ${money(amount)}`).join(', '),
                ] as const,
              ]),
        ]}
      />
      {unpriced.length > 0 && (
        <>
          <div className="banner" data-tone="warn">
            <Icon name="warn" />
            <div>
              <strong>{formatCount(unpriced.length, 'line')} without a price.</strong>{' '}
              <span className="muted">
                They are not included in the total. Add a price to each part, then estimate again.
              </span>
            </div>
          </div>
          <div className="table-wrap">
            <Table
              caption="Lines without a price"
              columns={columns}
              rows={shown}
              keyOf={({ optionSelectionId, lineId }) => `${optionSelectionId ?? ''} ${lineId}`}
            />
          </div>
          {shown.length < unpriced.length && (
            <p className="muted">{formatCount(unpriced.length - shown.length, 'further line')} without a price.</p>
          )}
        </>
      )}
    </>
  )
}

/** Locks the budget of a home, which freezes the original amounts. */
export function LockButton({ homeId, total }: { homeId: string; total: number }) {
  const { money } = useFormats()
  const [isOpen, setIsOpen] = useState(false)
  const trial = useChangePreview('lockHomeBudget', { homeId }, { isNeeded: isOpen })
  const change = plumbline.useMutation('post', '/api/ext/homes/{homeId}/budget/lock', {
    onSuccess: () => {
      showToast('Budget locked')
      setIsOpen(false)
    },
  })
  return (
    <>
      <Button small icon="lock" onClick={() => setIsOpen(true)}>
        Lock
      </Button>
      {isOpen && (
        <MoveDialog
          title={`Lock the budget at ${money(total)}?`}
          effect="The original budget is frozen, and construction can begin. Later changes are tracked separately as approved changes. This cannot be undone."
          word="Lock budget"
          trial={trial}
          error={change.error}
          isPending={change.isPending}
          onClose={() => setIsOpen(false)}
          onConfirm={() => change.mutate({ params: { path: { homeId } } })}
        />
      )}
    </>
  )
}
