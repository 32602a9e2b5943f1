import { useState } from 'react'
import type { LienWaiver, Payment } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline, root } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { MoveDialog } from '../../ui/move-dialog.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ChangeError, LoadError } from '../../ui/states.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'

/** The maximum number of lien waivers. A payment has one or two, and a few more if some were rejected. */
const MAX_WAIVERS_SHOWN = 20

/** Lists the lien waivers of a payment, with buttons to request, accept, and reject them. The vendor signs them. */
export function PaymentWaivers({ payment }: { payment: Payment }) {
  const can = useCan()
  const { day, cents } = useFormats()
  const [rejected, setRejected] = useState<LienWaiver | null>(null)
  const waivers = useListPage('/api/ext/lien-waivers', {
    paymentId: payment.id,
    limit: MAX_WAIVERS_SHOWN,
    sort: '-createdAt',
  })
  const ask = plumbline.useMutation('post', '/api/ext/payments/{paymentId}/lien-waivers', {
    onSuccess: () => showToast(`Lien waiver for ${payment.number} requested`),
  })
  const move = plumbline.useMutation('post', '/api/ext/lien-waivers/{lienWaiverId}/status', {
    onSuccess: ({ status }) => {
      showToast(`Lien waiver ${status}`)
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
          {humanizeName(waiverType)}
        </a>
      ),
    },
    { head: 'Status', cell: ({ status }) => <Status of="waiver" is={status} /> },
    { head: 'Covers work through', className: 'nowrap', cell: ({ throughDate }) => day(throughDate) },
    {
      head: 'Signed',
      cell: ({ signedBy, signedOn }) =>
        signedOn === null ? <EmptyCell word="not yet" /> : `${day(signedOn)} by ${signedBy}`,
    },
    { head: 'Amount', numeric: true, cell: ({ amount }) => cents(amount) },
    {
      head: 'Decision',
      cell: (waiver) =>
        waiver.status === 'signed' && can('payments:write') ? (
          <span className="row">
            <Button small onClick={() => setRejected(waiver)}>
              Reject
            </Button>
            <Button small look="primary" busy={move.isPending} onClick={() => accept(waiver.id)}>
              Accept
            </Button>
          </span>
        ) : (
          <EmptyCell word={waiver.status === 'requested' ? 'waiting for the vendor' : 'none'} />
        ),
    },
  ]
  if (waivers.error !== null) return <LoadError what="Lien waivers" error={waivers.error} />
  return (
    <Panel
      title="Lien waivers"
      isFlush
      actions={
        can('payments:write') &&
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
      {ask.error !== null && <ChangeError error={ask.error} />}
      {move.error !== null && rejected === null && <ChangeError error={move.error} />}
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
