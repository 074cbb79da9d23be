import { registerInstrumentations } from '@opentelemetry/instrumentation'
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici'
import { NodeTracerProvider, type SpanProcessor } from '@opentelemetry/sdk-trace-node'

/** Makes a span of every request that Node's fetch sends, below the span that is active where the call is made. */
export function startTracing(spanProcessors: SpanProcessor[]): NodeTracerProvider {
  const provider = new NodeTracerProvider({ spanProcessors })
  provider.register()
  registerInstrumentations({ instrumentations: [new UndiciInstrumentation()], tracerProvider: provider })
  return provider
}
