import { Navigate, useNavigate, useParams } from 'react-router'
import type { PurchaseOrder } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { EmptyState, LoadError, SkeletonLines } from '../../ui/states.tsx'
import { showToast } from '../../ui/toast.tsx'
import { FOLLOW_UP_KINDS, FOLLOW_UP_WORDS, type FollowUpKind, isFollowUpPossible } from './follow-up-kinds.ts'
import { OrderForm, OrderFormPage } from './order-form.tsx'

/** The page that creates a change order, a variance order, a backcharge, or a copy from an order. */
export function Component() {
  const { poId = '', kind: requested } = useParams()
  const can = useCan()
  const kind = FOLLOW_UP_KINDS.find((one) => one === requested)
  const order = plumbline.useQuery('get', '/api/ext/purchase-orders/{poId}', { params: { path: { poId } } })
  if (kind === undefined) return <Navigate to={`/orders/${poId}`} replace />
  const { data } = order
  const { name, purpose } = FOLLOW_UP_WORDS[kind]
  return (
    <OrderFormPage order={data} title={name} {...(kind !== 'copy' && { heading: `${name} for` })} purpose={purpose}>
      {order.error !== null ? (
        <LoadError what="The order" error={order.error} onRetry={() => void order.refetch()} />
      ) : data === undefined ? (
        <SkeletonLines lines={8} />
      ) : !can('pos:write') ? (
        <EmptyState icon="lock" title="You cannot create orders">
          Ask an administrator for the permission to change orders.
        </EmptyState>
      ) : !isFollowUpPossible(kind, data) ? (
        <EmptyState icon="lock" title={`Cannot create a ${name.toLowerCase()} for ${data.number}`}>
          {kind === 'change'
            ? 'A change order needs an order that has been issued.'
            : 'Change the quantity of the selection instead.'}
        </EmptyState>
      ) : (
        <FollowUp key={data.id} kind={kind} order={data} />
      )}
    </OrderFormPage>
  )
}

function FollowUp({ kind, order }: { kind: FollowUpKind; order: PurchaseOrder }) {
  const navigate = useNavigate()
  const create = plumbline.useMutation('post', '/api/ext/purchase-orders', {
    onSuccess: ({ id, number }) => {
      showToast(`${number} created`)
      void navigate(`/orders/${id}`)
    },
  })
  return (
    <OrderForm
      kind={kind}
      of={order}
      error={create.error}
      isPending={create.isPending}
      word={kind === 'copy' ? 'Create draft' : `Create ${FOLLOW_UP_WORDS[kind].name.toLowerCase()}`}
      onSubmit={({ homeId, poType, body }) => {
        const parentPoId = kind === 'copy' ? order.parentPoId : order.id
        create.mutate({
          body: {
            ...{ homeId, poType, ...body },
            // An order can follow only an order for the same home.
            ...(parentPoId !== null && homeId === order.homeId && { parentPoId }),
            ...(kind === 'copy' && {
              billingMethod: order.billingMethod,
              noPayment: order.noPayment,
              lienWaiverRequired: order.lienWaiverRequired,
            }),
          },
        })
      }}
    />
  )
}
