import type { Sale, SalePriceLine } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { KeyValues, Panel } from '../../ui/panel.tsx'
import { LoadError, SkeletonLines } from '../../ui/states.tsx'
import { useFormats } from '../../ui/use-formats.ts'

const KINDS: Readonly<Record<SalePriceLine['kind'], string>> = {
  base: 'Base price',
  lot_premium: 'Lot premium',
  option: 'Option',
  incentive: 'Incentive',
  discount: 'Discount',
}

/** Explains the price of a sale line by line, with each option. */
export function SalePricePanel({ sale }: { sale: Sale }) {
  const { cents } = useFormats()
  const price = plumbline.useQuery('get', '/api/ext/sales/{saleId}/price', { params: { path: { saleId: sale.id } } })
  return (
    <Panel title="Price">
      {price.error !== null ? (
        <LoadError what="The price" error={price.error} onRetry={() => void price.refetch()} />
      ) : price.data === undefined ? (
        <SkeletonLines lines={5} />
      ) : (
        <KeyValues
          facts={[
            ...price.data.lines.map(
              ({ kind, description, amount }) =>
                [kind === 'option' ? description : KINDS[kind], cents(amount)] as const,
            ),
            ['Total', <strong key="total">{cents(price.data.totalPrice)}</strong>],
          ]}
        />
      )}
    </Panel>
  )
}
