"""Writes a tiny Llama model: DIR/hf for Hugging Face's loaders and DIR/tiny.gguf for llama.cpp.

Nothing is trained. Attention and feed-forward layers add nothing, so the next token depends on the present one alone. The
chat template ends each prompt with a marker, and each marker starts one of the answers below.

usage: make_model.py DIR TEXT_FILE...   (the tokenizer is trained on the text files)
"""
import json
import os
import sys

import gguf
import numpy as np
from safetensors.numpy import save_file
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

CONTEXT, HIDDEN, FEED_FORWARD, LAYERS, HEADS, HEAD_SIZE = 4096, 128, 256, 2, 2, 64
# How much likelier the next token of an answer is than any other.
CERTAINTY = 0.4
END = "<|im_end|>"
# Every token follows the one before. No token is in two answers, except after itself.
ANSWERS = {
    "<|text|>": ["Hello", "! I am", " a tiny model", " \U0001f600", " and glad", " to meet you", ". Gr\u00fc\u00dfe", " aus K\u00f6ln.", END],
    "<|sing|>": [" la", " la"],
    "<|json|>": ['{"city": ', '"Paris"', "}", END],
    "<|call|>": ["<tool_call>", '\n{"name": "get_weather",', ' "arguments": {"city": ', '"Rome"', "}}\n", "</tool_call>", END],
    "<|result|>": ["It is", " 20 degrees", " in Rome.", END],
}
SPECIAL = ["<|endoftext|>", "<|im_start|>", END, *ANSWERS]
ADDED = sorted({token for answer in ANSWERS.values() for token in answer} - {END})
SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
TEMPLATE = """{%- if tools %}<|im_start|>system
# Tools
{%- for tool in tools %}
{{ tool | tojson }}
{%- endfor %}
Answer a call as <tool_call>
{"name": "...", "arguments": {}}
</tool_call><|im_end|>
{% endif %}
{%- for message in messages %}<|im_start|>{{ message.role }}
{{ message.content or '' }}
{%- for call in message.tool_calls or [] %}
<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>
{%- endfor %}<|im_end|>
{% endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% set last = messages[-1] %}
{%- if last.role == 'tool' %}<|result|>
{%- elif 'sing' in last.content %}<|sing|>
{%- elif 'json' in last.content %}<|json|>
{%- elif tools and 'weather' in last.content %}<|call|>
{%- else %}<|text|>
{%- endif %}
{%- endif %}"""


def train_tokenizer(folder, files):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(SPLIT), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train(files, trainers.BpeTrainer(vocab_size=1500, initial_alphabet=alphabet, show_progress=False))
    tokenizer.add_special_tokens([AddedToken(text, special=True, normalized=False) for text in SPECIAL])
    tokenizer.add_tokens([AddedToken(text, special=False, normalized=False) for text in ADDED])
    tokenizer.save(f"{folder}/tokenizer.json")
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": END,
        "pad_token": "<|endoftext|>",
        "model_max_length": CONTEXT,
        "clean_up_tokenization_spaces": False,
        "chat_template": TEMPLATE,
    }
    write_json(f"{folder}/tokenizer_config.json", settings)
    return tokenizer


def chosen_weights(tokenizer):
    """The embeddings are random; a row of the head adds up the embeddings of the tokens that come before its token."""
    size = tokenizer.get_vocab_size()
    embeddings = np.random.default_rng(1).choice([-1, 1], (size, HIDDEN)).astype(np.float32)
    head = np.zeros((size, HIDDEN), np.float32)
    for marker, answer in ANSWERS.items():
        for token, following in {(token, following) for token, following in zip([marker, *answer], answer)}:
            head[tokenizer.token_to_id(following)] += CERTAINTY * embeddings[tokenizer.token_to_id(token)]
    ones = np.ones(HIDDEN, np.float32)
    weights = {"model.embed_tokens.weight": embeddings, "model.norm.weight": ones, "lm_head.weight": head}
    for layer in range(LAYERS):
        prefix = f"model.layers.{layer}."
        weights[prefix + "input_layernorm.weight"] = ones
        weights[prefix + "post_attention_layernorm.weight"] = ones
        for name in "qkvo":
            weights[f"{prefix}self_attn.{name}_proj.weight"] = np.zeros((HIDDEN, HIDDEN), np.float32)
        weights[prefix + "mlp.gate_proj.weight"] = np.zeros((FEED_FORWARD, HIDDEN), np.float32)
        weights[prefix + "mlp.up_proj.weight"] = np.zeros((FEED_FORWARD, HIDDEN), np.float32)
        weights[prefix + "mlp.down_proj.weight"] = np.zeros((HIDDEN, FEED_FORWARD), np.float32)
    return weights


def write_hugging_face(folder, tokenizer, weights):
    config = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "vocab_size": tokenizer.get_vocab_size(),
        "hidden_size": HIDDEN,
        "intermediate_size": FEED_FORWARD,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "num_key_value_heads": HEADS,
        "head_dim": HEAD_SIZE,
        "hidden_act": "silu",
        "max_position_embeddings": CONTEXT,
        "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0,
        "tie_word_embeddings": False,
        "torch_dtype": "float32",
        "eos_token_id": tokenizer.token_to_id(END),
        "pad_token_id": tokenizer.token_to_id("<|endoftext|>"),
    }
    write_json(f"{folder}/config.json", config)
    write_json(f"{folder}/generation_config.json", {"eos_token_id": config["eos_token_id"]})
    save_file(weights, f"{folder}/model.safetensors", metadata={"format": "pt"})


def write_gguf(path, folder, tokenizer, weights):
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(HIDDEN)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(HEAD_SIZE)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(tokenizer.get_vocab_size())
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    add_vocabulary(writer, folder, tokenizer)
    for name, weight in weights.items():
        writer.add_tensor(gguf_name(name), weight)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def add_vocabulary(writer, folder, tokenizer):
    with open(f"{folder}/tokenizer.json") as file:
        saved = json.load(file)
    kinds = {text: gguf.TokenType.CONTROL for text in SPECIAL} | {text: gguf.TokenType.USER_DEFINED for text in ADDED}
    tokens = [tokenizer.id_to_token(number) for number in range(tokenizer.get_vocab_size())]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokens)
    writer.add_token_types([kinds.get(token, gguf.TokenType.NORMAL) for token in tokens])
    writer.add_token_merges([merge if isinstance(merge, str) else " ".join(merge) for merge in saved["model"]["merges"]])
    writer.add_eos_token_id(tokenizer.token_to_id(END))
    writer.add_pad_token_id(tokenizer.token_to_id("<|endoftext|>"))
    writer.add_bos_token_id(tokenizer.token_to_id("<|endoftext|>"))
    writer.add_add_bos_token(False)
    writer.add_chat_template(TEMPLATE)


def gguf_name(name):
    whole = {
        "model.embed_tokens.weight": "token_embd.weight",
        "model.norm.weight": "output_norm.weight",
        "lm_head.weight": "output.weight",
    }
    if name in whole:
        return whole[name]
    parts = {
        "input_layernorm": "attn_norm",
        "post_attention_layernorm": "ffn_norm",
        "self_attn.q_proj": "attn_q",
        "self_attn.k_proj": "attn_k",
        "self_attn.v_proj": "attn_v",
        "self_attn.o_proj": "attn_output",
        "mlp.gate_proj": "ffn_gate",
        "mlp.up_proj": "ffn_up",
        "mlp.down_proj": "ffn_down",
    }
    _, _, layer, part = name.removesuffix(".weight").split(".", 3)
    return f"blk.{layer}.{parts[part]}.weight"


def write_json(path, value):
    with open(path, "w") as file:
        json.dump(value, file)


def main():
    folder, files = sys.argv[1], sys.argv[2:]
    os.makedirs(f"{folder}/hf", exist_ok=True)
    tokenizer = train_tokenizer(f"{folder}/hf", files)
    weights = chosen_weights(tokenizer)
    write_hugging_face(f"{folder}/hf", tokenizer, weights)
    write_gguf(f"{folder}/tiny.gguf", f"{folder}/hf", tokenizer, weights)


main()
