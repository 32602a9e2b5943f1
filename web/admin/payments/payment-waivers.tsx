import { useState } from 'react'
import type { LienWaiver, Payment } from '../../../client/contract.gen.ts'
import { useMay } from '../../api/caller.ts'
import { usePage } from '../../api/pages.ts'
import { plumbline, root } from '../../api/plumbline.ts'
import { inWords, Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { MoveDialog } from '../../ui/move.tsx'
import { useFormats } from '../../ui/organization.ts'
import { Panel } from '../../ui/panel.tsx'
import { Failed, Refused } from '../../ui/states.tsx'
import { type Column, None, Table } from '../../ui/table.tsx'
import { say } from '../../ui/toast.tsx'

/** A payment has one or two waivers, and a few more if some were rejected. */
const SHOWN = 20

/** Lists the lien waivers of a payment: they are requested, signed by the vendor, and accepted or rejected here. */
export function PaymentWaivers({ payment }: { payment: Payment }) {
  const may = useMay()
  const { day, cents } = useFormats()
  const [rejected, setRejected] = useState<LienWaiver | null>(null)
  const waivers = usePage('/api/ext/lien-waivers', { paymentId: payment.id, limit: SHOWN, sort: '-createdAt' })
  const ask = plumbline.useMutation('post', '/api/ext/payments/{paymentId}/lien-waivers', {
    onSuccess: () => say(`Lien waiver for ${payment.number} requested`),
  })
  const move = plumbline.useMutation('post', '/api/ext/lien-waivers/{lienWaiverId}/status', {
    onSuccess: ({ status }) => {
      say(`Lien waiver ${status}`)
      setRejected(null)
    },
  })
  const accept = (lienWaiverId: string) =>
    move.mutate({ params: { path: { lienWaiverId } }, body: { status: 'accepted' } })
  const rows = waivers.data?.data
  const isOver = payment.status === 'rejected' || payment.status === 'voided'
  const columns: readonly Column<LienWaiver>[] = [
    {
      head: 'Waiver',
      cell: ({ id, waiverType }) => (
        <a href={`${root}/api/ext/lien-waivers/${id}/pdf`} download={`waiver-${payment.number}.pdf`}>
          {inWords(waiverType)}
        </a>
      ),
    },
    { head: 'Status', cell: ({ status }) => <Status of="waiver" is={status} /> },
    { head: 'Work through', className: 'nowrap', cell: ({ throughDate }) => day(throughDate) },
    {
      head: 'Signed',
      cell: ({ signedBy, signedOn }) =>
        signedOn === null ? <None word="not yet" /> : `${day(signedOn)} by ${signedBy}`,
    },
    { head: 'Amount', numeric: true, cell: ({ amount }) => cents(amount) },
    {
      head: 'Decision',
      cell: (waiver) =>
        waiver.status === 'signed' && may('payments:write') ? (
          <span className="row">
            <Button small onClick={() => setRejected(waiver)}>
              Reject
            </Button>
            <Button small look="primary" busy={move.isPending} onClick={() => accept(waiver.id)}>
              Accept
            </Button>
          </span>
        ) : (
          <None word={waiver.status === 'requested' ? 'waiting for the vendor' : 'none'} />
        ),
    },
  ]
  if (waivers.error !== null) return <Failed what="Lien waivers" error={waivers.error} />
  return (
    <Panel
      title="Lien waivers"
      isFlush
      actions={
        may('payments:write') &&
        !isOver && (
          <Button
            small
            busy={ask.isPending}
            onClick={() => ask.mutate({ params: { path: { paymentId: payment.id } }, body: {} })}
          >
            Request lien waiver
          </Button>
        )
      }
    >
      {ask.error !== null && <Refused error={ask.error} />}
      {move.error !== null && rejected === null && <Refused error={move.error} />}
      {rows?.length === 0 ? (
        <p className="muted">No lien waivers yet. Request one from the vendor.</p>
      ) : (
        <div className="table-wrap">
          <Table caption="Lien waivers" columns={columns} rows={rows} keyOf={({ id }) => id} expected={1} />
        </div>
      )}
      {rejected !== null && (
        <MoveDialog
          title="Reject this lien waiver?"
          effect="The vendor will see the reason. You can request a new lien waiver."
          word="Reject"
          isDanger
          reason="needed"
          trial={null}
          error={move.error}
          isPending={move.isPending}
          onClose={() => setRejected(null)}
          onConfirm={(reason) =>
            move.mutate({
              params: { path: { lienWaiverId: rejected.id } },
              body: { status: 'rejected', ...(reason !== undefined && { reason }) },
            })
          }
        />
      )}
    </Panel>
  )
}
