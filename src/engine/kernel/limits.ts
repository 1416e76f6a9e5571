/** Every limit of the interface by name (specification section 8, contract section 8). */
export const LIMITS = {
  request_body_bytes: 1_048_576,
  resource_name_characters: 100,
  session_metadata_bytes: 16_384,
  session_title_characters: 256,
  model_verify_s: 30,
  sessions_page: { default: 20, max: 100 },
  queued_messages_per_session: 10,
  visitor_id_characters: 255,
  token_name_characters: 190,
  description_characters: 8192,
  system_prompt_characters: 262_144,
  agent_tools: 256,
  max_steps: { default: 50, max: 500 },
  max_context_size: { default: 16_000, min: 1_000, max: 1_000_000 },
  max_turn_duration_s: { default: 120, max: 86_400 },
  max_step_duration_s: { min: 10, max: 3_600 },
} as const;
