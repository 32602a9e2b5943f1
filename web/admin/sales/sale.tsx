import { useParams } from 'react-router'
import type { Sale } from '../../../client/contract.gen.ts'
import { useMay } from '../../api/caller.ts'
import { useLive } from '../../api/live.ts'
import { plumbline } from '../../api/plumbline.ts'
import { inWords, Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { History } from '../../ui/history.tsx'
import { Name } from '../../ui/name.tsx'
import { useFormats } from '../../ui/organization.ts'
import { Page } from '../../ui/page.tsx'
import { KeyValues, Panel } from '../../ui/panel.tsx'
import { Failed, Refused, SkeletonLines } from '../../ui/states.tsx'
import { None } from '../../ui/table.tsx'
import { TitleBlock } from '../../ui/title-block.tsx'
import { say } from '../../ui/toast.tsx'
import { listed } from '../../ui/words.ts'
import { Contingencies } from './contingencies.tsx'
import { Deposits } from './deposits.tsx'
import { Pipeline } from './pipeline.tsx'

/** Shows one sale: its total, its progress, and its open contingencies. */
export function Component() {
  useLive('at ease')
  const { saleId = '' } = useParams()
  const may = useMay()
  const at = { params: { path: { saleId } } }
  const sale = plumbline.useQuery('get', '/api/ext/sales/{saleId}', at)
  const approve = plumbline.useMutation('post', '/api/ext/sales/{saleId}/approve', {
    onSuccess: ({ number }) => say(`${number} approved`),
  })
  const number = sale.data?.number ?? 'Sale'
  const canApprove = sale.data?.status === 'pending' && may('sales:write')
  return (
    <Page
      title={number}
      crumbs={[{ name: 'Sales', to: '/sales/all' }, { name: number }]}
      actions={
        canApprove && (
          <Button
            look="primary"
            busy={approve.isPending}
            onClick={() => approve.mutate({ ...at, body: { version: sale.data?.version } })}
          >
            Approve sale
          </Button>
        )
      }
    >
      <Refused error={approve.error} />
      {sale.error !== null ? (
        <Failed what="The sale" error={sale.error} onRetry={() => void sale.refetch()} />
      ) : sale.data === undefined ? (
        <SkeletonLines lines={8} />
      ) : (
        <Shown sale={sale.data} />
      )}
    </Page>
  )
}

function Shown({ sale }: { sale: Sale }) {
  const may = useMay()
  const { money, day, cents } = useFormats()
  const done = sale.pipeline.filter(({ status }) => status !== 'open').length
  return (
    <>
      <TitleBlock
        name={listed(sale.buyers.map(({ name }) => name))}
        state={<Status of="sale" is={sale.status} />}
        sub={
          <>
            {sale.number}, {sale.homeId === null ? `Lot ${sale.lotNumber}` : <Name of="home" id={sale.homeId} />}
          </>
        }
        facts={[
          { label: 'Price', isFigure: true, value: money(sale.totalPrice) },
          { label: 'Options', isFigure: true, isWideOnly: true, value: money(sale.optionsTotal), note: 'of the price' },
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
          <Pipeline sale={sale} />
          <Deposits sale={sale} />
          <Contingencies sale={sale} />
        </div>
        <div className="stack">
          <Panel title="Price">
            <KeyValues
              facts={[
                ['Base', cents(sale.basePrice)],
                ['Lot', cents(sale.lotPremium)],
                ['Options', cents(sale.optionsTotal)],
                ['Incentives', cents(0 - sale.incentives)],
                ['Discounts', cents(0 - sale.discounts)],
                ['Total', <strong key="total">{cents(sale.totalPrice)}</strong>],
              ]}
            />
          </Panel>
          <Panel title="Buyers">
            <KeyValues
              facts={[
                ...sale.buyers.map(
                  ({ name, email, phone }) =>
                    [name, [email, phone].filter((part) => part !== null).join(', ') || 'no address'] as const,
                ),
                [
                  'Financing',
                  sale.financing === null
                    ? 'not known'
                    : `${inWords(sale.financing.type)}, ${inWords(sale.financing.status).toLowerCase()}`,
                ],
                [
                  'Salesperson',
                  sale.salesRepId === null ? (
                    <None key="rep" word="not assigned" />
                  ) : (
                    <Name key="rep" of="user" id={sale.salesRepId} />
                  ),
                ],
                ['Commission', sale.commission === null ? 'not agreed on' : cents(sale.commission)],
              ]}
            />
          </Panel>
          {may('events:read') && (
            <Panel title="History">
              <History of={sale.id} />
            </Panel>
          )}
        </div>
      </div>
    </>
  )
}
