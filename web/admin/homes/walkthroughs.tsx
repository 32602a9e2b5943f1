import { useState } from 'react'
import type { Walkthrough } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline, root } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Panel } from '../../ui/panel.tsx'
import { LoadError } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { Signatures, useSignatures } from './signatures.tsx'

const MAX_WALKTHROUGHS = 50
const KINDS = [
  { value: 'quality', label: 'Quality (without the buyer)' },
  { value: 'orientation', label: 'Orientation for the buyer' },
  { value: 'final', label: 'Final (before closing)' },
  { value: 'eleven_month', label: 'Eleven-month walkthrough' },
] as const

/** Lists the home's walkthroughs, with forms to plan a walkthrough and to close it with the buyer's signature. */
export function Walkthroughs({ homeId }: { homeId: string }) {
  const { day } = useFormats()
  const mayWrite = useCan()('punch:write')
  const [isNew, setIsNew] = useState(false)
  const [closing, setClosing] = useState<Walkthrough | null>(null)
  const walkthroughs = useListPage('/api/ext/walkthroughs', { homeId, limit: MAX_WALKTHROUGHS, sort: '-createdAt' })
  const signatures = useSignatures(homeId)
  const columns: readonly Column<Walkthrough>[] = [
    {
      head: 'Walkthrough',
      cell: ({ kind, date }) => (
        <>
          <span className="lead">{humanizeName(kind)}</span>
          <span className="sub">{day(date)}</span>
        </>
      ),
    },
    {
      head: 'Items',
      cell: ({ itemCount, openItemCount }) => `${formatCount(itemCount, 'item')}, ${openItemCount} open`,
    },
    {
      head: 'Signed by',
      cell: ({ id, signature, status }) => (
        <>
          {signature?.signedBy ?? (status === 'closed' ? 'Closed' : 'Open')}
          <Signatures files={signatures} recordId={id} />
        </>
      ),
    },
    {
      head: 'List',
      cell: ({ id }) => <a href={`${root}/api/ext/walkthroughs/${id}/pdf`}>PDF</a>,
      isWideOnly: true,
    },
    ...(mayWrite
      ? [
          {
            head: 'Close',
            cell: (walkthrough: Walkthrough) =>
              walkthrough.status === 'open' ? (
                <Button
                  small
                  aria-label={`Close ${humanizeName(walkthrough.kind)} walkthrough`}
                  onClick={() => setClosing(walkthrough)}
                >
                  Close
                </Button>
              ) : null,
          },
        ]
      : []),
  ]
  const rows = walkthroughs.data?.data
  return (
    <Panel
      title="Walkthroughs"
      isFlush={rows?.length !== 0}
      actions={
        mayWrite && (
          <Button small icon="plus" onClick={() => setIsNew(true)}>
            Add walkthrough
          </Button>
        )
      }
    >
      {walkthroughs.error !== null ? (
        <LoadError what="The walkthroughs" error={walkthroughs.error} onRetry={() => void walkthroughs.refetch()} />
      ) : rows?.length === 0 ? (
        <p className="muted">No walkthroughs yet. Punch items can also be added without one.</p>
      ) : (
        <div className="table-wrap">
          <Table caption="Walkthroughs" columns={columns} rows={rows} keyOf={({ id }) => id} expected={1} />
        </div>
      )}
      {isNew && <WalkthroughForm homeId={homeId} onClose={() => setIsNew(false)} />}
      {closing !== null && <ClosingForm walkthrough={closing} onClose={() => setClosing(null)} />}
    </Panel>
  )
}

function WalkthroughForm({ homeId, onClose }: { homeId: string; onClose(): void }) {
  const { today } = useFormats()
  const change = plumbline.useMutation('post', '/api/ext/walkthroughs', {
    onSuccess: () => {
      showToast('Walkthrough added')
      onClose()
    },
  })
  return (
    <FormDialog
      title="Add walkthrough"
      size="narrow"
      word="Add walkthrough"
      {...{ change, onClose }}
      onSubmit={(form) => {
        const kind = KINDS.find(({ value }) => value === readTextField(form, 'kind'))?.value ?? 'quality'
        const date = readTextField(form, 'date')
        change.mutate({ body: { homeId, kind, ...(date !== undefined && { date }) } })
      }}
    >
      <SelectField name="kind" label="Kind" options={KINDS} />
      <TextField name="date" label="Date" type="date" defaultValue={today()} />
    </FormDialog>
  )
}

function ClosingForm({ walkthrough, onClose }: { walkthrough: Walkthrough; onClose(): void }) {
  const { id: walkthroughId, kind, version } = walkthrough
  const change = plumbline.useMutation('post', '/api/ext/walkthroughs/{walkthroughId}/close', {
    onSuccess: () => {
      showToast('Walkthrough closed')
      onClose()
    },
  })
  const isSigned = kind !== 'quality'
  return (
    <FormDialog
      title={`Close ${humanizeName(kind).toLowerCase()} walkthrough`}
      note="You will no longer be able to add items to the walkthrough."
      size="narrow"
      word="Close walkthrough"
      {...{ change, onClose }}
      onSubmit={(form) => {
        const signedBy = readTextField(form, 'signedBy')
        change.mutate({
          params: { path: { walkthroughId } },
          body: { version, ...(signedBy !== undefined && { signedBy, consent: true }) },
        })
      }}
    >
      {isSigned && (
        <TextField
          name="signedBy"
          label="Buyer's signature"
          hint="The buyer types their name here and agrees to sign electronically. Owners can also sign on their owner page."
          autoFocus
        />
      )}
    </FormDialog>
  )
}
