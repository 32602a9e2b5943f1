import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import type { PurchaseOrder } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { EmptyState, LoadError, SkeletonLines } from '../../ui/states.tsx'
import { showToast } from '../../ui/toast.tsx'
import { OrderForm, OrderFormPage } from './order-form.tsx'

/** The page that changes a draft order. */
export function Component() {
  const { poId = '' } = useParams()
  const order = plumbline.useQuery('get', '/api/ext/purchase-orders/{poId}', { params: { path: { poId } } })
  const { data } = order
  return (
    <OrderFormPage order={data} title="Edit draft" purpose="The vendor sees the order after it is approved and issued.">
      {order.error !== null ? (
        <LoadError what="The order" error={order.error} onRetry={() => void order.refetch()} />
      ) : data === undefined ? (
        <SkeletonLines lines={8} />
      ) : data.status !== 'draft' ? (
        <EmptyState icon="lock" title="Only a draft can be edited">
          To change what has been ordered, create a change order.
        </EmptyState>
      ) : (
        <EditedOrder key={data.id} order={data} />
      )}
    </OrderFormPage>
  )
}

function EditedOrder({ order }: { order: PurchaseOrder }) {
  const navigate = useNavigate()
  // The order as the user sees it. The service rejects the changes if another user has changed the order in the
  // meantime.
  const [before] = useState(order)
  const change = plumbline.useMutation('patch', '/api/ext/purchase-orders/{poId}', {
    onSuccess: ({ id, number }) => {
      showToast(`${number} changed`)
      void navigate(`/orders/${id}`)
    },
  })
  return (
    <OrderForm
      kind={null}
      of={order}
      error={change.error}
      isPending={change.isPending}
      word="Save draft"
      onSubmit={({ body: { vendorId, retainagePercent, ...body } }) =>
        change.mutate({
          params: { path: { poId: before.id }, header: { 'If-Match': `"${before.version}"` } },
          body: {
            ...body,
            // For some orders, the service rejects these fields, even with their current values.
            ...(vendorId !== before.vendorId && { vendorId }),
            ...(retainagePercent !== before.retainagePercent && { retainagePercent }),
          },
        })
      }
    />
  )
}
