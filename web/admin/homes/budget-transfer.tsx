import { useMemo, useState } from 'react'
import type { BudgetLine } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Button } from '../../ui/button.tsx'
import { readNumberField, readTextField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { SearchSelectField } from '../../ui/search-select-field.tsx'
import { LoadError, SkeletonLines } from '../../ui/states.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'

/** The page size limit of one request. A home has fewer lines. */
const MAX_LINES = 200

const NOTHING_CHOSEN = { fromLineId: '', toLineId: '' }

/** Moves an amount from one line of a locked budget to another. The total does not change. */
export function BudgetTransfer({ homeId }: { homeId: string }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button small icon="swap" onClick={() => setIsOpen(true)}>
        Transfer
      </Button>
      {isOpen && <TransferDialog homeId={homeId} onClose={() => setIsOpen(false)} />}
    </>
  )
}

function TransferDialog({ homeId, onClose }: { homeId: string; onClose(): void }) {
  const { money } = useFormats()
  const [chosen, setChosen] = useState(NOTHING_CHOSEN)
  const { fromLineId, toLineId } = chosen
  const entries = useMemo(
    () => ({ current: chosen, isChanged: chosen !== NOTHING_CHOSEN, restore: setChosen }),
    [chosen],
  )
  const lines = useListPage(
    '/api/ext/homes/{homeId}/budget/lines',
    { limit: MAX_LINES, sort: 'scope' },
    { place: { homeId } },
  )
  const change = plumbline.useMutation('post', '/api/ext/homes/{homeId}/budget/transfers', {
    onSuccess: ({ amount }) => {
      showToast(`${money(amount)} transferred`)
      onClose()
    },
  })
  const rows = lines.data?.data ?? []
  const choices = rows.map((line) => ({ value: line.id, label: `${describeLine(line)}, ${money(line.budgeted)}` }))
  return (
    <FormDialog
      title="Transfer budget"
      note="the budget total does not change"
      word="Transfer"
      isDisabled={rows.length < 2}
      {...{ change, onClose, entries }}
      onSubmit={(form) =>
        change.mutate({
          params: { path: { homeId } },
          body: {
            ...{ fromLineId, toLineId },
            ...{ amount: readNumberField(form, 'amount') ?? 0, reason: readTextField(form, 'reason') ?? '' },
          },
        })
      }
    >
      {lines.error !== null ? (
        <LoadError what="The budget lines" error={lines.error} onRetry={() => void lines.refetch()} />
      ) : lines.data === undefined ? (
        <SkeletonLines lines={3} />
      ) : (
        <>
          <SearchSelectField
            name="fromLineId"
            label="From line"
            options={choices}
            value={fromLineId}
            onChange={(id) => setChosen({ fromLineId: id, toLineId })}
          />
          <SearchSelectField
            name="toLineId"
            label="To line"
            options={choices}
            value={toLineId}
            onChange={(id) => setChosen({ fromLineId, toLineId: id })}
          />
          <div className="form-row">
            <TextField name="amount" label="Amount" />
            <TextField name="reason" label="Reason" hint="Recorded with the transfer." />
          </div>
        </>
      )}
    </FormDialog>
  )
}

function describeLine({ scope, description }: BudgetLine): string {
  return description === null ? humanizeName(scope) : `${humanizeName(scope)}: ${description}`
}
