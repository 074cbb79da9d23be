import { registerInstrumentations } from '@opentelemetry/instrumentation'
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici'
import { NodeTracerProvider, type SpanProcessor } from '@opentelemetry/sdk-trace-node'

/** Creates a span for every request that Node's fetch sends, as a child of the span that is active at the call. */
export function startTracing(spanProcessors: SpanProcessor[]): NodeTracerProvider {
  const provider = new NodeTracerProvider({ spanProcessors })
  provider.register()
  registerInstrumentations({ instrumentations: [new UndiciInstrumentation()], tracerProvider: provider })
  return provider
}
