import { useState } from 'react'
import { useParams } from 'react-router'
import type { Sale } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { useLiveUpdates } from '../../api/use-live-updates.ts'
import { Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Page } from '../../ui/page.tsx'
import { KeyValues, Panel } from '../../ui/panel.tsx'
import { RecordHistory } from '../../ui/record-history.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { ChangeError, LoadError, SkeletonLines } from '../../ui/states.tsx'
import { EmptyCell } from '../../ui/table.tsx'
import { formatList } from '../../ui/text-formats.ts'
import { TitleBlock } from '../../ui/title-block.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { RecordActions } from '../actions/record-actions.tsx'
import { CancelSaleDialog } from './cancel-sale.tsx'
import { Contingencies } from './contingencies.tsx'
import { Deposits } from './deposits.tsx'
import { SaleForm } from './sale-form.tsx'
import { SalePipeline } from './sale-pipeline.tsx'
import { SalePricePanel } from './sale-price.tsx'

/** Shows one sale: its total, its progress, and its open contingencies. */
export function Component() {
  useLiveUpdates('at ease')
  const { saleId = '' } = useParams()
  const can = useCan()
  const [open, setOpen] = useState<'edit' | 'cancel' | null>(null)
  const at = { params: { path: { saleId } } }
  const sale = plumbline.useQuery('get', '/api/ext/sales/{saleId}', at)
  const approve = plumbline.useMutation('post', '/api/ext/sales/{saleId}/approve', {
    onSuccess: ({ number }) => showToast(`${number} approved`),
  })
  const number = sale.data?.number ?? 'Sale'
  const canApprove = sale.data?.status === 'pending' && can('sales:write')
  return (
    <Page
      title={number}
      crumbs={[{ name: 'Sales', to: '/sales/all' }, { name: number }]}
      actions={
        <>
          {canApprove && (
            <Button
              look="primary"
              busy={approve.isPending}
              onClick={() => approve.mutate({ ...at, body: { version: sale.data?.version } })}
            >
              Approve sale
            </Button>
          )}
          {sale.data !== undefined && isOpen(sale.data) && can('sales:write') && (
            <>
              <Button onClick={() => setOpen('edit')}>Edit</Button>
              <Button onClick={() => setOpen('cancel')}>Cancel sale</Button>
            </>
          )}
          <RecordActions field="saleId" id={saleId} except={OWN_BUTTONS} />
          {open === 'edit' && sale.data !== undefined && <SaleForm sale={sale.data} onClose={() => setOpen(null)} />}
          {open === 'cancel' && sale.data !== undefined && (
            <CancelSaleDialog sale={sale.data} onClose={() => setOpen(null)} />
          )}
        </>
      }
    >
      <ChangeError error={approve.error} />
      {sale.error !== null ? (
        <LoadError what="The sale" error={sale.error} onRetry={() => void sale.refetch()} />
      ) : sale.data === undefined ? (
        <SkeletonLines lines={8} />
      ) : (
        <SaleDetails sale={sale.data} />
      )}
    </Page>
  )
}

/** Actions for which the page has its own buttons. */
const OWN_BUTTONS = ['updateSale', 'cancelSale', 'approveSale']

const isOpen = ({ status }: Sale) => status === 'pending' || status === 'approved'

function SaleDetails({ sale }: { sale: Sale }) {
  const can = useCan()
  const { money, day, cents } = useFormats()
  const done = sale.pipeline.filter(({ status }) => status !== 'open').length
  return (
    <>
      <TitleBlock
        name={formatList(sale.buyers.map(({ name }) => name))}
        state={<Status of="sale" is={sale.status} />}
        sub={
          <>
            {sale.number}, {sale.homeId === null ? `Lot ${sale.lotNumber}` : <RecordName of="home" id={sale.homeId} />}
          </>
        }
        facts={[
          { label: 'Price', isFigure: true, value: money(sale.totalPrice) },
          {
            label: 'Options',
            isFigure: true,
            isWideOnly: true,
            value: money(sale.optionsTotal),
            note: 'included in the price',
          },
          {
            label: 'Deposits',
            isFigure: true,
            value: money(sale.depositsReceived),
            note: `${money(sale.depositsOutstanding)} still due`,
          },
          { label: 'Contingencies', isFigure: true, value: sale.openContingencies, note: 'open or failed' },
          { label: 'Stages', isFigure: true, isWideOnly: true, value: `${done} of ${sale.pipeline.length}` },
          { label: 'Closing', value: sale.targetCloseDate === null ? 'no date yet' : day(sale.targetCloseDate) },
        ]}
      />
      <div className="cols">
        <div className="stack">
          <SalePipeline sale={sale} />
          <Deposits sale={sale} />
          <Contingencies sale={sale} />
        </div>
        <div className="stack">
          <SalePricePanel sale={sale} />
          <Panel title="Buyers">
            <KeyValues
              facts={[
                ...sale.buyers.map(
                  ({ name, email, phone }) =>
                    [name, [email, phone].filter((part) => part !== null).join(', ') || 'no contact details'] as const,
                ),
                [
                  'Financing',
                  sale.financing === null
                    ? 'not known'
                    : `${humanizeName(sale.financing.type)}, ${humanizeName(sale.financing.status).toLowerCase()}`,
                ],
                [
                  'Salesperson',
                  sale.salesRepId === null ? (
                    <EmptyCell key="rep" word="not assigned" />
                  ) : (
                    <RecordName key="rep" of="user" id={sale.salesRepId} />
                  ),
                ],
                ['Commission', sale.commission === null ? 'not agreed on' : cents(sale.commission)],
              ]}
            />
          </Panel>
          {can('events:read') && (
            <Panel title="History">
              <RecordHistory of={sale.id} />
            </Panel>
          )}
        </div>
      </div>
    </>
  )
}
