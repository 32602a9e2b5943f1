import type { PurchaseOrder } from '../../../client/contract.gen.ts'
import { formatPercent, formatQuantity, formatUnitPrice } from '../../ui/number-formats.ts'
import { RecordName } from '../../ui/record-name.tsx'
import { useFormats } from '../../ui/use-formats.ts'

/** Shows the lines of an order and their total with cents, as in the order's PDF. */
export function OrderLines({ order, withProgress = true }: { order: PurchaseOrder; withProgress?: boolean }) {
  const { exact } = useFormats()
  return (
    <div className="table-wrap">
      <table role="table" className="table cards">
        <caption className="sr">Lines</caption>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">
              Line
            </th>
            {['Quantity', 'Unit price', 'Tax', ...(withProgress ? ['Completed'] : []), 'Total'].map((head) => (
              <th role="columnheader" scope="col" className="num" key={head}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {order.lines.map((line) => (
            <tr role="row" key={line.lineId}>
              <th role="rowheader" scope="row">
                {line.description}
                {line.costCodeId !== null && (
                  <span className="sub">
                    <RecordName of="costCode" id={line.costCodeId} />
                  </span>
                )}
              </th>
              <td role="cell" data-label="Quantity" className="num">
                {formatQuantity(line.quantity)} <span className="faint">{line.unit}</span>
              </td>
              <td role="cell" data-label="Unit price" className="num">
                {formatUnitPrice(line.unitPrice)}
              </td>
              <td role="cell" data-label="Tax" className="num">
                {exact(line.taxAmount)}
              </td>
              {withProgress && (
                <td role="cell" data-label="Completed" className="num">
                  {formatPercent(line.completedPercent)}
                </td>
              )}
              <td role="cell" data-label="Total" className="num">
                {exact(line.total)}
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot role="rowgroup">
          <tr role="row">
            <th role="rowheader" scope="row">
              Total, {order.currency}
            </th>
            <td role="cell" className="hide-narrow" />
            <td role="cell" className="hide-narrow" />
            <td role="cell" data-label="Tax" className="num">
              {exact(order.taxTotal)}
            </td>
            {withProgress && (
              <td role="cell" data-label="Completed" className="num">
                {exact(order.completedAmount)}
              </td>
            )}
            <td role="cell" data-label="Total" className="num">
              {exact(order.total)}
            </td>
          </tr>
        </tfoot>
      </table>
    </div>
  )
}
